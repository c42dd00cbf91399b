// What a running job leaves on disk: its output folder with events and job.json, and its private job file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launcher/output/event_log.h"

namespace ds {

struct Handover;
struct Job;
struct JobFile;
class OutputFolder;

class JobRecord {
 public:
  explicit JobRecord(const Job& job);
  ~JobRecord();  // removes the job file

  // Applies the rules of the output folder and takes it. Throws kUsage before anything in it is touched. Does nothing
  // for a job without one. To be called once the settings are known.
  void open_output();
  // Takes the folder, and nothing else of open_output(); `output` as settings will name it.
  void lock_output(const std::string& output);
  // Before open_output(): the ranks of this generation are there already.
  void keep_generation(int generation) { kept_generation_ = generation; }
  // "" or why a training job is already complete; known after open_output().
  const std::string& already_done() const { return already_done_; }

  int generation() const { return generation_; }
  void next_generation() { ++generation_; }
  std::string log_folder() const;                 // "" = ranks are not logged
  std::string token_path() const { return token_path_; }
  const std::string& token() const { return token_; }

  void write(const Event& event);  // the generation is filled in when it is not set

  // The job answers requests on this port from now on. A job file that cannot be written is a note, not an error.
  void publish(int port, const std::vector<std::string>& addresses);
  const std::string& problem() const { return problem_; }

  // For the launcher that takes over if this one dies.
  void hand_over(const Handover& handover);
  void alive();  // to be called about once a second: others see by the age of the files whether this launcher is there

  void set_state(const std::string& state);
  void set_step(int64_t step);
  void finish(int exit_code, const std::string& reason, bool on_request);

  std::string state_json() const;  // job.json
  std::string state_text() const;

 private:
  void save();
  void write_file();

  const Job& job_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<EventLog> events_;
  std::string already_done_, token_path_, token_, state_ = "starting", reason_, problem_, job_folder_, control_;
  int generation_ = 1, port_ = 0, exit_code_ = -1;
  int64_t step_ = -1;
  int kept_generation_ = 0;
  bool published_ = false, opened_ = false;
  std::unique_ptr<JobFile> file_;
};

}  // namespace ds
