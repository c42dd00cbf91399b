// `dslaunch logs`: prints, and with -f follows, the log files of a job's newest generation.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "agent/file_descriptor.h"
#include "launcher/console.h"
#include "launcher/job_file.h"
#include "launcher/job_request.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& job) {
  std::error_code error;
  if (!job.empty() && fs::is_directory(job, error)) return job;
  JobFile file = find_job(job_file_folder(), job);
  if (file.output.empty())
    throw Error(ErrorCode::kUsage, "dslaunch: job " + file.job + " keeps no logs: it was started without --output");
  return file.output;
}

std::string newest_generation(const std::string& output) {
  int64_t newest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(output + "/logs", error))
    newest = std::max(newest, parse_int(entry.path().filename().string()).value_or(0));
  if (newest == 0) throw Error(ErrorCode::kUsage, "dslaunch: no logs in " + output + "/logs");
  return output + "/logs/" + std::to_string(newest);
}

class LogPrinter {
 public:
  LogPrinter(std::string folder, std::optional<int> rank, Console& console)
      : folder_(std::move(folder)), rank_(rank), console_(console) {}

  void print_new() {
    std::map<int, std::string> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      std::string name = entry.path().filename();
      if (!name.starts_with("rank") || !name.ends_with(".log")) continue;
      std::optional<int64_t> rank = parse_int(name.substr(4, name.size() - 8));
      if (rank && (!rank_ || *rank_ == *rank)) files[static_cast<int>(*rank)] = entry.path();
    }
    if (rank_ && files.empty() && first_)
      throw Error(ErrorCode::kUsage, "dslaunch: no log of rank " + std::to_string(*rank_) + " in " + folder_);
    first_ = false;
    for (const auto& [rank, path] : files) print_file(rank, path);
  }

 private:
  void print_file(int rank, const std::string& path) {
    std::ifstream file(path);
    file.seekg(done_[rank]);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    size_t whole = text.rfind('\n');
    if (whole == std::string::npos) return;
    done_[rank] += static_cast<std::streamoff>(whole + 1);
    if (rank_) return console_.out(text.substr(0, whole + 1));
    std::string marked;
    for (const std::string& line : split(text.substr(0, whole), '\n'))
      marked += "rank " + std::to_string(rank) + ": " + line + "\n";
    console_.out(marked);
  }

  std::string folder_;
  std::optional<int> rank_;
  Console& console_;
  std::map<int, std::streamoff> done_;
  bool first_ = true;
};

bool job_of_output_runs(const std::string& output) {
  std::error_code error;
  fs::path wanted = fs::weakly_canonical(output, error);
  for (const JobFile& file : read_job_files(job_file_folder()))
    if (!file.output.empty() && fs::weakly_canonical(file.output, error) == wanted && is_running(file).value_or(true))
      return true;
  return false;
}

}  // namespace

int logs_command(const Options& options, Console& console) {
  std::string output = output_of(options.job), folder = newest_generation(output);
  LogPrinter printer(folder, options.rank, console);
  FileDescriptor watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ::inotify_add_watch(watch.get(), folder.c_str(), IN_MODIFY | IN_CREATE);
  printer.print_new();
  while (options.follow && job_of_output_runs(output)) {
    pollfd wait{watch.get(), POLLIN, 0};
    ::poll(&wait, 1, 1000);  // also on file systems that tell nothing
    char events[4096];
    while (::read(watch.get(), events, sizeof events) > 0) {
    }
    printer.print_new();
  }
  return 0;
}

}  // namespace ds
