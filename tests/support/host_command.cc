#include "tests/support/host_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tests/support/namespaces.h"
#include "tests/support/poll.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

constexpr int kCannotStart = 127;

void redirect(const std::string& path, int flags, int to) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(kCannotStart);
}

std::map<std::string, std::string> base_environment() {
  return {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
          {"HOME", "/root"}, {"USER", "root"}, {"LOGNAME", "root"}, {"LANG", "C.UTF-8"}};
}

[[noreturn]] void become(const std::vector<std::string>& argv, const CommandOptions& options, const std::string& stem) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  redirect(options.input, O_RDONLY, 0);
  redirect(stem + ".out", O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(stem + ".err", O_WRONLY | O_CREAT | O_TRUNC, 2);
  if (::chdir(options.folder.c_str()) != 0) ::_exit(kCannotStart);
  ::clearenv();
  for (const auto& [name, value] : base_environment()) ::setenv(name.c_str(), value.c_str(), 1);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const std::string message = argv[0] + ": " + std::strerror(errno) + "\n";
  if (::write(2, message.data(), message.size()) < 0) ::_exit(kCannotStart);
  ::_exit(kCannotStart);
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// setns for "pid" moves children only, so the program is the child of a keeper that waits for it and passes its code on.
[[noreturn]] void keep(pid_t host, const std::vector<std::string>& kinds, const std::vector<std::string>& argv,
                       const CommandOptions& options, const std::string& stem, int pid_pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!enter_namespaces(host, kinds)) ::_exit(kCannotStart);
  const pid_t child = ::fork();
  if (child == 0) become(argv, options, stem);
  if (child < 0 || ::write(pid_pipe, &child, sizeof child) != sizeof child) ::_exit(kCannotStart);
  ::close(pid_pipe);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::_exit(exit_code_of(status));
}

}  // namespace

HostCommand::HostCommand(pid_t host, const std::vector<std::string>& kinds, const std::vector<std::string>& argv,
                         const CommandOptions& options, const std::string& output_stem)
    : output_stem_(output_stem) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw Error(ErrorCode::kInternal, "test bed: pipe failed");
  keeper_ = ::fork();
  if (keeper_ == 0) {
    ::close(pipe_ends[0]);
    keep(host, kinds, argv, options, output_stem, pipe_ends[1]);
  }
  ::close(pipe_ends[1]);
  if (keeper_ < 0 || ::read(pipe_ends[0], &pid_, sizeof pid_) != sizeof pid_) pid_ = -1;
  ::close(pipe_ends[0]);
  if (pid_ < 0) throw Error(ErrorCode::kInternal, "test bed: cannot start on its host: program=" + argv[0]);
}

HostCommand::HostCommand(HostCommand&& other) noexcept
    : output_stem_(std::move(other.output_stem_)), keeper_(std::exchange(other.keeper_, -1)), pid_(other.pid_),
      code_(other.code_) {}

HostCommand::~HostCommand() {
  if (keeper_ < 0 || code_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(keeper_, nullptr, 0);
}

std::optional<int> HostCommand::wait(std::chrono::milliseconds deadline) {
  wait_until(
      [this] {
        int status = 0;
        if (!code_ && ::waitpid(keeper_, &status, WNOHANG) == keeper_) code_ = exit_code_of(status);
        return code_.has_value();
      },
      deadline);
  return code_;
}

void HostCommand::signal(int number) {
  if (!code_) ::kill(pid_, number);
}

// The process of the command makes its files itself, a moment after it was started.
static std::string written_so_far(const std::string& path) {
  return std::filesystem::exists(path) ? read_file(path) : "";
}

std::string HostCommand::out() const { return written_so_far(output_stem_ + ".out"); }
std::string HostCommand::err() const { return written_so_far(output_stem_ + ".err"); }

}  // namespace ds::testing
