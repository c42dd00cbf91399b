#include "agent/sweep.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>

#include "agent/job_folders.h"
#include "agent/leftovers.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

namespace {

constexpr const char* kRecordName = "agent";

struct AgentRecord {
  ProcessInfo agent;          // pid and start time only
  std::string pid_namespace;  // where that pid means something
};

std::string own_pid_namespace() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
}

std::optional<AgentRecord> read_record(const std::string& host_folder) {
  try {
    std::istringstream text(read_file(host_folder + "/" + kRecordName));
    AgentRecord record;
    if (text >> record.agent.pid >> record.agent.start_time >> record.pid_namespace) return record;
  } catch (const Error&) {
    // no file: it never got so far, or it has cleaned up
  }
  return std::nullopt;
}

bool alive(const ProcessInfo& agent) {
  const auto now = process_info(agent.pid);
  return now && now->start_time == agent.start_time && now->state != 'Z';  // a zombie looks after nothing
}

}  // namespace

void write_agent_record(const std::string& host_folder) {
  const auto self = process_info(getpid()).value_or(ProcessInfo{});
  write_run_file(host_folder, kRecordName,
                 std::to_string(self.pid) + " " + std::to_string(self.start_time) + " " + own_pid_namespace() + "\n");
}

void sweep_abandoned(const std::string& own_job, std::chrono::milliseconds limit) {
  const std::string host = own_host_name(), here = own_pid_namespace();
  for (const auto& job : jobs_with_folders()) {
    if (job == own_job) continue;
    for (const auto& folder : host_folders_of_job(job, host)) {
      const auto record = read_record(folder);
      if (record && record->pid_namespace == here && !alive(record->agent)) sweep(job, limit);
    }
  }
}

// The agent carries no marker in its environment: its record tells it.
std::string sweep(const std::string& job, std::chrono::milliseconds limit) {
  const std::string host = own_host_name();
  for (const auto& folder : host_folders_of_job(job, host))
    if (const auto record = read_record(folder); record && record->pid_namespace == own_pid_namespace())
      signal_exactly(record->agent, SIGKILL);
  JobMarker marker{job, std::nullopt};
  marker.with_servers = true;
  marker.with_descendants = false;  // the caller may be an agent whose own ranks run
  const std::string left = kill_leftovers(marker, {}, {}, limit);
  remove_files_of_job(job, host);
  return left;
}

}  // namespace ds
