#include "agent/helper_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "agent/event_loop.h"
#include "agent/open_file_limit.h"
#include "agent/pipe.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

extern char** environ;

namespace ds {
namespace {

constexpr size_t kSaidBytes = 8000;

std::vector<std::string> environment_without(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (char** one = environ; *one; ++one) {
    std::string entry = *one, name = entry.substr(0, entry.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) result.push_back(entry);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Between fork and exec: only what is safe there. The write end tells the parent when exec failed.
[[noreturn]] void become(char** argv, char** env, int in, int out, int err, int report, const HelperCommand& command,
                         pid_t parent) {
  ::setsid();
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (command.open_files) set_open_file_limit(command.open_files);
  if (command.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
  }
  ::execvpe(argv[0], argv, env);
  int reason = errno;
  ssize_t ignored = ::write(report, &reason, sizeof reason);
  (void)ignored;
  ::_exit(127);
}

// Reads what is there; false at the end of the stream.
bool read_some(int fd, std::string& into) {
  char buffer[65536];
  ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n > 0) into.append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

HelperProcess::HelperProcess(boost::asio::io_context& io, const HelperCommand& command, Events events)
    : events_(std::move(events)) {
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  std::vector<std::string> argv = command.argv, env = environment_without(command.unset);
  std::vector<char*> argv_pointers = pointers(argv), env_pointers = pointers(env);
  pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw Error(ErrorCode::kInternal, std::string("cannot fork: ") + std::strerror(errno));
  if (pid_ == 0)
    become(argv_pointers.data(), env_pointers.data(), in.read.get(), out.write.get(), err.write.get(),
           report.write.get(), command, parent);
  report.write.reset();
  int reason = 0;
  if (::read(report.read.get(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(pid_, nullptr, 0);
    throw Error(ErrorCode::kUsage, "cannot start " + command.argv[0] + ": " + std::strerror(reason));
  }
  stdin_ = std::move(in.write);
  stdout_ = std::move(out.read);
  stderr_ = std::move(err.read);
  set_nonblocking(stdout_.get());
  set_nonblocking(stderr_.get());
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  stdout_watch_ = std::make_unique<DescriptorWatch>(io, stdout_.get());
  stderr_watch_ = std::make_unique<DescriptorWatch>(io, stderr_.get());
  end_watch_ = std::make_unique<DescriptorWatch>(io, pidfd_.get());
  stdout_watch_->when_readable([this] { read_stdout(); });
  stderr_watch_->when_readable([this] { read_stderr(); });
  end_watch_->when_readable([this] { reap(); });
}

HelperProcess::~HelperProcess() {
  if (ended()) return;
  kill(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void HelperProcess::write_stdin(const std::string& bytes) {
  size_t done = 0;
  while (stdin_ && done < bytes.size()) {
    ssize_t n = ::write(stdin_.get(), bytes.data() + done, bytes.size() - done);
    if (n > 0) done += static_cast<size_t>(n);
    else if (errno != EINTR) return;  // it has ended already; on_end tells
  }
}

void HelperProcess::close_stdin() { stdin_.reset(); }

std::pair<int, int> HelperProcess::take_streams() {
  stdout_watch_.reset();
  return {stdout_.release(), ::fcntl(stdin_.get(), F_DUPFD_CLOEXEC, 0)};
}

void HelperProcess::kill(int signal) {
  if (!ended() && pid_ > 0) ::kill(-pid_, signal);
}

void HelperProcess::read_stdout() {
  std::string bytes;
  bool more = read_some(stdout_.get(), bytes);
  if (more) stdout_watch_->when_readable([this] { read_stdout(); });
  if (!bytes.empty() && events_.on_stdout) events_.on_stdout(bytes);
}

void HelperProcess::read_stderr() {
  if (read_some(stderr_.get(), said_)) stderr_watch_->when_readable([this] { read_stderr(); });
  if (said_.size() > 2 * kSaidBytes) said_.erase(0, said_.size() - kSaidBytes);
}

void HelperProcess::reap() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return end_watch_->when_readable([this] { reap(); });
  size_t before = 0;
  do {
    before = said_.size();
    read_some(stderr_.get(), said_);
  } while (said_.size() != before);
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (events_.on_end) events_.on_end();
}

}  // namespace ds
