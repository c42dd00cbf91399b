#include "agent/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "agent/open_file_limit.h"
#include "topology/base/error.h"

// Only there in a program that is built with AddressSanitizer.
extern "C" [[gnu::weak]] void __asan_unpoison_memory_region(void const volatile* start, size_t size);

namespace ds {

namespace {

enum class Stage : int { kFolder, kDescriptors, kExec };

// Everything the child needs between its start and exec, laid out before: it shares this process's memory until then
// (see spawn), so it must not allocate nor change anything but its report.
struct ChildPlan {
  explicit ChildPlan(const Command& command) : command(command) {
    for (const auto& arg : command.argv) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    for (const auto& variable : command.env) env.push_back(const_cast<char*>(variable.c_str()));
    env.push_back(nullptr);
    CPU_ZERO(&cpus);
    for (const uint32_t cpu : command.cpus)
      if (cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
  }
  const Command& command;
  std::vector<char*> argv, env;
  cpu_set_t cpus;
  pid_t parent = getpid();
};

struct ChildStart {
  const ChildPlan& plan;
  Stage failed_stage = Stage::kExec;
  int error = 0;  // 0 = it runs the program
};

[[noreturn]] void give_up(ChildStart& start, Stage stage) {
  start.failed_stage = stage;
  start.error = errno;
  _exit(127);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void place(int from, int to, int null_flags, ChildStart& start) {
  const int fd = from >= 0 ? from : open("/dev/null", null_flags | O_CLOEXEC);
  if (fd < 0) give_up(start, Stage::kDescriptors);
  if (fd == to ? fcntl(fd, F_SETFD, 0) < 0 : dup2(fd, to) < 0) give_up(start, Stage::kDescriptors);
}

[[noreturn]] void run_child(ChildStart& start) {
  const ChildPlan& plan = start.plan;
  const Command& command = plan.command;
  if (command.dies_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan.parent) _exit(127);  // it died before the line above
  }
  setsid();
  reset_signals();
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) give_up(start, Stage::kFolder);
  if (!command.cpus.empty()) sched_setaffinity(0, sizeof plan.cpus, &plan.cpus);
  bind_memory(command.memory);
  place(command.stdin_fd, 0, O_RDONLY, start);
  place(command.stdout_fd, 1, O_WRONLY, start);
  place(command.stderr_fd, 2, O_WRONLY, start);
  if (command.kept_fd >= 0) fcntl(command.kept_fd, F_SETFD, 0);
  execve(command.program.c_str(), plan.argv.data(), plan.env.data());
  give_up(start, Stage::kExec);
}

constexpr size_t kChildStack = 64 << 10;
constexpr int kClonePidfd = 0x1000;  // CLONE_PIDFD, which older headers do not name

int child_main(void* argument) { run_child(*static_cast<ChildStart*>(argument)); }

// As posix_spawn does: the child borrows this process's memory on a stack of its own, and the calling thread waits until
// it has exec'ed. Copying the page tables, and the page faults afterwards, would cost several times as much per rank.
// Signals wait meanwhile, so that no handler of this process runs in the child.
pid_t spawn(ChildStart& child, int& pidfd) {
  char stack[kChildStack];
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto top = reinterpret_cast<uintptr_t>(stack + kChildStack) & ~uintptr_t{15};
  const pid_t pid =
      clone(child_main, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | kClonePidfd | SIGCHLD, &child, &pidfd);
  const int error = errno;
  if (__asan_unpoison_memory_region)  // of what the child's calls have marked: it never came back from them
    __asan_unpoison_memory_region(reinterpret_cast<void*>(top - kChildStack), kChildStack);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD, which glibc 2.35 and older do not name

Process::StartFailure describe_failure(const Command& command, Stage stage, int error) {
  const std::string reason = std::strerror(error);
  if (stage == Stage::kFolder) return {2, "cannot change to the working directory " + command.folder + ": " + reason};
  if (stage == Stage::kDescriptors) return {126, "cannot set up standard streams: " + reason};
  const bool missing = error == ENOENT || error == ENOTDIR;
  std::string advice;
  if (error == ENOEXEC) advice = " (not a program for this machine; a script begins with a line like #!/bin/sh)";
  if (missing && access(command.program.c_str(), F_OK) == 0)
    advice = " (the interpreter that its first line names, or its dynamic loader)";
  return {missing ? 127 : 126, "cannot execute " + command.program + ": " + reason + advice};
}

ExitStatus from_wait(const siginfo_t& child) {
  if (child.si_code == CLD_EXITED) return {child.si_status, 0};
  return {0, child.si_status};
}

}  // namespace

std::string describe(const ExitStatus& status) {
  if (status.lost) return "an exit whose status was lost";
  if (status.signal == 0) return "exit code " + std::to_string(status.code);
  return "signal " + std::to_string(status.signal) + " (" + strsignal(status.signal) + ")";
}

std::unique_ptr<Process> Process::start(const Command& command) {
  const ChildPlan plan(command);
  ChildStart child{plan};
  int pidfd = -1;
  const pid_t pid = spawn(child, pidfd);
  if (pid < 0)
    throw Error(ErrorCode::kInternal,
                "process: cannot start: program=" + command.program + ": " + why_none_is_opened(errno));
  auto process = std::unique_ptr<Process>(new Process);
  process->pid_ = pid;
  process->pidfd_.reset(pidfd);  // the kernel opens it close-on-exec
  if (child.error) process->failure_ = describe_failure(command, child.failed_stage, child.error);
  return process;
}

Process::~Process() = default;

// False while the child still runs: the descriptor is non-blocking when an event loop watches it.
bool Process::reap() {
  siginfo_t child{};
  int failed;
  while ((failed = waitid(kPidfd, static_cast<id_t>(pidfd_.get()), &child, WEXITED | WNOHANG)) != 0 && errno == EINTR) {
  }
  if (failed ? errno == EAGAIN : child.si_pid == 0) return false;
  status_ = failed ? ExitStatus{255, 0, true} : from_wait(child);
  return true;
}

void Process::watch(boost::asio::io_context& io, std::function<void(const ExitStatus&)> on_exit) {
  watch_ = std::make_unique<DescriptorWatch>(io, pidfd_.get());
  on_exit_ = std::move(on_exit);
  watch_exit();
}

void Process::watch_exit() {
  watch_->when_readable([this] {
    if (running() && !reap()) return watch_exit();
    on_exit_(*status_);
  });
}

bool Process::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (running()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd poll_fd{pidfd_.get(), POLLIN, 0};
    if (poll(&poll_fd, 1, static_cast<int>(std::max(left.count(), decltype(left.count()){0}))) <= 0) return false;
    reap();
  }
  return true;
}

void Process::signal(int number) const {
  if (running()) syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

void Process::signal_group(int number) const {
  // The group can outlive its leader; the number is free for others only when both are gone, so an unreaped leader
  // guards it.
  if (running() && ::kill(-pid_, number) != 0) signal(number);
}

std::optional<Process::StartFailure> Process::start_failure() const {
  return running() ? std::nullopt : failure_;
}

}  // namespace ds
