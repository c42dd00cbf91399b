// Runs the built dslaunch as a person would: arguments, standard input and signals in; exit code and output back.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>
#include "tests/support/places.h"

namespace ds::testing {

struct RunOptions {
  std::string input;                           // standard input
  std::map<std::string, std::string> env = {};  // added to ours
  std::string folder = "/tmp";
  int ignored_signal = 0;       // as nohup ignores SIGHUP; 0 = none
  std::string program = {};     // run this instead of dslaunch, found in PATH
  int out_fd = -1, err_fd = -1;  // borrowed: standard output and error instead of what out and err show
};

struct RunResult {
  int code = -1;  // 128 + signal; -1 = still running at the deadline and killed
  std::string out, err;
  double seconds = 0;
  std::string last_line() const;  // of stderr
};

// A dslaunch that runs beside the test. Killed with its session when the object goes.
class RunningDslaunch {
 public:
  explicit RunningDslaunch(const std::vector<std::string>& arguments, const RunOptions& options = {});
  ~RunningDslaunch();
  RunningDslaunch(const RunningDslaunch&) = delete;

  void signal(int number) const;
  // Waits until stdout (with stderr) contains the text; false at the deadline.
  bool wait_for(const std::string& text, std::chrono::seconds deadline = std::chrono::seconds(60));
  RunResult wait(std::chrono::seconds deadline = std::chrono::seconds(100));
  pid_t pid() const { return pid_; }
  std::string out() const;
  std::string err() const;

 private:
  std::string folder_;
  pid_t pid_ = -1;
  std::chrono::steady_clock::time_point started_;
};

RunResult run_dslaunch(const std::vector<std::string>& arguments, const RunOptions& options = {});

// Processes whose environment says they belong to a job, by DSLAUNCH_JOB of the launcher with this pid's jobs: "" when
// none is left. Waits until the deadline for them to go.
std::string processes_left(const std::string& marker, std::chrono::seconds deadline = std::chrono::seconds(10));

}  // namespace ds::testing
