// A running child: started in its own session, watched by a pidfd, ended by us or by itself.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/command.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"

namespace ds {

struct ExitStatus {
  int code = 0;  // meaningful when signal == 0
  int signal = 0;
  bool lost = false;  // the system had none for us any more: somebody else waited for the child; code is 255 then
};

// "exit code 3", "signal 9 (Killed)", "an exit whose status was lost"
std::string describe(const ExitStatus& status);

class Process {
 public:
  // fork + exec; a program that cannot be executed shows as an exit with start_failure(). From any thread, several at once.
  // Throws kInternal when the system gives no process. Call from a thread that lives as long as the children should.
  static std::unique_ptr<Process> start(const Command& command);
  ~Process();  // leaves a running child alone

  pid_t pid() const { return pid_; }
  bool running() const { return !status_.has_value(); }
  const std::optional<ExitStatus>& status() const { return status_; }

  // Calls back once, after the child has been reaped.
  void watch(boost::asio::io_context& io, std::function<void(const ExitStatus&)> on_exit);
  bool wait(std::chrono::milliseconds limit);  // blocking; true = reaped

  void signal(int number) const;        // the process; no effect once reaped
  void signal_group(int number) const;  // its whole session-leader group

  // After the exit: why exec did not happen ("cannot execute PATH: reason") and the code a shell would give.
  struct StartFailure {
    int exit_code;
    std::string text;
  };
  std::optional<StartFailure> start_failure() const;

 private:
  Process() = default;
  bool reap();
  void watch_exit();

  pid_t pid_ = -1;
  FileDescriptor pidfd_;
  std::optional<StartFailure> failure_;
  std::optional<ExitStatus> status_;
  std::unique_ptr<DescriptorWatch> watch_;
  std::function<void(const ExitStatus&)> on_exit_;
};

}  // namespace ds
