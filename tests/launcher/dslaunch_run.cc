#include "tests/launcher/dslaunch_run.h"
#include "tests/support/places.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace ds::testing {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

void open_as(int fd, const std::string& path, int flags) {
  int opened = ::open(path.c_str(), flags, 0600);
  ::dup2(opened, fd);
}

// Waits for one more moment in a loop that looks for something outside: files and /proc tell no events.
void look_again() { ::poll(nullptr, 0, 20); }

}  // namespace

std::string RunResult::last_line() const {
  std::string text = err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

RunningDslaunch::RunningDslaunch(const std::vector<std::string>& arguments, const RunOptions& options)
    : started_(std::chrono::steady_clock::now()) {
  char pattern[] = "/tmp/dslaunch-test-XXXXXX";
  folder_ = ::mkdtemp(pattern);
  std::ofstream(folder_ + "/in") << options.input;
  std::vector<std::string> words = {options.program.empty() ? test::bin_folder() + "/dslaunch" : options.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::setsid();
  ::setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  for (const auto& [name, value] : options.env) ::setenv(name.c_str(), value.c_str(), 1);
  open_as(0, folder_ + "/in", O_RDONLY);
  open_as(1, folder_ + "/out", O_WRONLY | O_CREAT | O_APPEND);
  open_as(2, folder_ + "/err", O_WRONLY | O_CREAT | O_APPEND);
  if (options.out_fd >= 0) ::dup2(options.out_fd, 1);
  if (options.err_fd >= 0) ::dup2(options.err_fd, 2);
  ::signal(SIGHUP, SIG_DFL);  // whatever started the tests, nohup too
  if (options.ignored_signal) ::signal(options.ignored_signal, SIG_IGN);
  if (::chdir(options.folder.c_str()) != 0) ::_exit(99);
  ::execvp(argv[0], argv.data());
  ::_exit(98);
}

RunningDslaunch::~RunningDslaunch() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code error;
  fs::remove_all(folder_, error);
}

void RunningDslaunch::signal(int number) const { ::kill(pid_, number); }
std::string RunningDslaunch::out() const { return content_of(folder_ + "/out"); }
std::string RunningDslaunch::err() const { return content_of(folder_ + "/err"); }

bool RunningDslaunch::wait_for(const std::string& text, std::chrono::seconds deadline) {
  auto end = std::chrono::steady_clock::now() + deadline;
  while (std::chrono::steady_clock::now() < end) {
    if ((out() + err()).find(text) != std::string::npos) return true;
    look_again();
  }
  return false;
}

RunResult RunningDslaunch::wait(std::chrono::seconds deadline) {
  RunResult result;
  int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd wait{pidfd, POLLIN, 0};
  bool ended = ::poll(&wait, 1, static_cast<int>(deadline.count() * 1000)) == 1;
  ::close(pidfd);
  if (!ended) ::kill(-pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (ended) result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = out();
  result.err = err();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return result;
}

RunResult run_dslaunch(const std::vector<std::string>& arguments, const RunOptions& options) {
  return RunningDslaunch(arguments, options).wait();
}

std::string processes_left(const std::string& marker, std::chrono::seconds deadline) {
  auto end = std::chrono::steady_clock::now() + deadline;
  std::string left;
  do {
    left.clear();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid())) continue;
      if (content_of(entry.path() / "environ").find(marker) == std::string::npos) continue;
      std::string command = content_of(entry.path() / "cmdline");
      if (!command.empty()) left += pid + " " + command + "\n";
    }
    if (left.empty()) return "";
    look_again();
  } while (std::chrono::steady_clock::now() < end);
  return left;
}

}  // namespace ds::testing
