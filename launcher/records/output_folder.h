// The folder `output` of a training job, seen from the launcher: lock, generation numbers, what is in it, job.json.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ds {

// What earlier launches left in a folder.
struct OutputContents {
  bool has_metrics = false;      // metrics.csv with at least one row
  bool has_checkpoints = false;  // anything in checkpoints/
  int last_generation = 0;       // highest of logs/<g>, events.jsonl and job.json; 0 = none
  std::string job_name;          // of job.json; "" = unknown
  int64_t latest_step = -1;      // of checkpoints/latest; -1 = none
  bool empty() const { return !has_metrics && !has_checkpoints; }
};

OutputContents inspect_output(const std::string& folder);

std::string job_json_path(const std::string& folder);

// "" or why a job `name` with this resume rule must not use the folder (exit 2). `resume`: auto | never | a path.
std::string resume_problem(const OutputContents& contents, const std::string& folder, const std::string& resume,
                           const std::string& name);

// A live job's hold on its folder. Nothing in the folder is written before the rules above were applied.
class OutputFolder {
 public:
  // Makes the folder if needed and locks it. Throws kUsage naming the job that holds it, or the reason.
  static std::unique_ptr<OutputFolder> lock(const std::string& folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::string& path() const { return path_; }
  // Says in the lock file who holds it.
  void name_holder(const std::string& job);
  // A file that only this job can have written; agents prove with it that they see the folder. Removed at the end.
  std::string write_token(const std::string& job, const std::string& token);
  void write_job(const std::string& json);  // job.json, replaced as a whole
  void touch_job();                         // as if it had been written now

 private:
  OutputFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_, token_path_;
  int fd_;
};

}  // namespace ds
