// The private files by which `dslaunch status|stop|logs` find running jobs: $XDG_STATE_HOME/dslaunch/<job>.json, 0600.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/records/handover.h"

namespace ds {

struct JobFile {
  std::string job, name, output, host;
  std::string key;  // the job's key, raw bytes
  std::vector<std::string> addresses;
  int port = 0;
  int pid = 0;
  long start_ticks = 0;  // of that process, so that a reused pid is not taken for it
  std::optional<Handover> handover{};  // of an elastic training job whose ranks have been started
  double silence = 0;    // seconds since it was written or touched, by the clocks of the two hosts; not in the file
};

// $XDG_STATE_HOME/dslaunch, else ~/.local/state/dslaunch. "" when there is no home.
std::string job_file_folder();

void write_job_file(const std::string& folder, const JobFile& file);  // throws kUsage naming path and reason
void touch_job_file(const std::string& folder, const std::string& job);  // the launcher lives
void remove_job_file(const std::string& folder, const std::string& job);
std::vector<JobFile> read_job_files(const std::string& folder);  // unreadable ones are left out

// Whether the launcher of this file still runs; nullopt when it is on another host.
std::optional<bool> is_running(const JobFile& file);
long start_ticks_of(int pid);  // 0 = no such process, or it has ended

// The job that JOB means: its id, its output folder, or with "" the only running one (of this host, when there are others
// elsewhere). Throws kUsage: none, several.
JobFile find_job(const std::string& folder, const std::string& job);

}  // namespace ds
