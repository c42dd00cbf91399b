// `dslaunch logs`: prints the log files of a job's newest generation; with -f goes on until the job ends, across its
// generations.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "agent/file_descriptor.h"
#include "launcher/output/colour_choice.h"
#include "launcher/output/console.h"
#include "launcher/records/job_file.h"
#include "launcher/job/job_request.h"
#include "launcher/output/line_format.h"
#include "launcher/output/log_follower.h"
#include "launcher/output/terminal_writer.h"
#include "topology/base/error.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& job) {
  std::error_code error;
  if (!job.empty() && fs::is_directory(job, error)) return job;
  JobFile file = find_job(job_file_folder(), job);
  if (file.output.empty())
    throw Error(ErrorCode::kUsage, "job " + file.job + " keeps no logs: it was started without --output");
  return file.output;
}

bool job_of_output_runs(const std::string& output) {
  std::error_code error;
  fs::path wanted = fs::weakly_canonical(output, error);
  for (const JobFile& file : read_job_files(job_file_folder()))
    if (!file.output.empty() && fs::weakly_canonical(file.output, error) == wanted && is_running(file).value_or(true))
      return true;
  return false;
}

// Of one rank the bytes as they are; of all, each line with its rank. The first lines of each later generation than
// `first` come after a note that says so.
LogFollower::Show printer(const Options& options, Console& console, int first) {
  return [&options, &console, told = first](const LogFollower::Lines& lines) mutable {
    console.writer().wait_for_room();
    if (lines.generation > told) console.note("generation " + std::to_string(lines.generation));
    told = lines.generation;
    if (options.rank) return console.out(lines.text);
    std::string prefix = "rank " + std::to_string(lines.rank) + ":";
    if (console.options().out_colours) prefix = colour_of_rank(lines.rank) + prefix + kColourEnd;
    console.out(with_prefix(prefix + " ", lines.text));
  };
}

class Follow {
 public:
  Follow(const std::string& output, LogFollower& logs, const TerminalWriter& writer)
      : output_(output), logs_(logs), writer_(writer), watch_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    look_at(output_ + "/logs");
    look_at(logs_.folder());
  }

  // What was written before the job ended is shown, however late we look. False: it goes on, but nobody reads any more.
  bool run() {
    while (writer_.failure(STDOUT_FILENO) == 0) {
      const bool last = !job_of_output_runs(output_);
      logs_.show_new();
      enter_newer_generations();
      if (last) {
        logs_.show_rest();
        return true;
      }
      if (!wait()) break;
    }
    return false;
  }

 private:
  void look_at(const std::string& folder) { ::inotify_add_watch(watch_.get(), folder.c_str(), IN_MODIFY | IN_CREATE); }

  void enter_newer_generations() {
    for (const int newest = newest_generation(output_); logs_.generation() < newest;) {
      logs_.show_rest();
      logs_.enter(logs_.generation() + 1);
      look_at(logs_.folder());
      logs_.show_new();
    }
  }

  // False: the reader of stdout is gone.
  bool wait() {
    pollfd waits[] = {{watch_.get(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    ::poll(waits, 2, 1000);  // also on file systems that tell nothing
    char events[4096];
    while (::read(watch_.get(), events, sizeof events) > 0) {
    }
    return (waits[1].revents & POLLERR) == 0;
  }

  const std::string& output_;
  LogFollower& logs_;
  const TerminalWriter& writer_;
  FileDescriptor watch_;
};

}  // namespace

int logs_command(const Options& options, Console& console) {
  const std::string output = output_of(options.job);
  const int newest = newest_generation(output);
  if (newest == 0) throw Error(ErrorCode::kUsage, "no logs in " + output + "/logs");
  LogFollower logs(output, options.rank, printer(options, console, newest));
  logs.enter(newest);
  if (options.rank && !logs.has_files())
    throw Error(ErrorCode::kUsage, "no log of rank " + std::to_string(*options.rank) + " in " + logs.folder());
  if (options.follow) return Follow(output, logs, console.writer()).run() ? 0 : 128 + SIGPIPE;
  logs.show_rest();
  return 0;
}

}  // namespace ds
