// A process that launcher and agents start to reach hosts: a local dsagent, an ssh, an srun. Owns the pipes to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/file_descriptor.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class DescriptorWatch;

struct HelperCommand {
  std::vector<std::string> argv;
  std::vector<std::string> unset;  // variables its environment must not have
  bool dies_with_parent = false;  // gets SIGTERM when whoever started it is gone
  uint64_t open_files = 0;          // its soft limit of descriptors; 0 = ours
};

class HelperProcess {
 public:
  struct Events {
    std::function<void(const std::string& bytes)> on_stdout;
    std::function<void()> on_end;  // once, after the process ended and its stderr was read
  };

  // Starts it in a session of its own (Ctrl-C at the terminal reaches the launcher alone). Throws kUsage when the
  // program cannot be started.
  HelperProcess(boost::asio::io_context& io, const HelperCommand& command, Events events);
  ~HelperProcess();  // kills it
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  void write_stdin(const std::string& bytes);  // small; the descriptor stays open as a life line
  void close_stdin();
  // Stops reading stdout here and hands over duplicates of stdout and stdin for a channel.
  std::pair<int, int> take_streams();
  void kill(int signal);

  int pid() const { return pid_; }
  bool ended() const { return exit_code_.has_value(); }
  int exit_code() const { return exit_code_.value_or(-1); }  // 128 + signal
  const std::string& said() const { return said_; }          // the end of its stderr

 private:
  void read_stdout();
  void read_stderr();
  void reap();

  Events events_;
  int pid_ = -1;
  FileDescriptor stdin_, stdout_, stderr_, pidfd_;
  std::unique_ptr<DescriptorWatch> stdout_watch_, stderr_watch_, end_watch_;
  std::optional<int> exit_code_;
  std::string said_;
};

}  // namespace ds
