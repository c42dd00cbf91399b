// The agent's end of one rank server: the process, the channel to it, and what it said before it died.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/channel.h"
#include "agent/file_descriptor.h"
#include "agent/free_port.h"
#include "agent/process.h"

namespace ds {

class RankServerLink {
 public:
  struct Callbacks {
    Channel::OnMessage on_message;
    std::function<void()> on_end;  // once, when the process is gone and everything it sent has been delivered
  };

  // Starts `program --rank-server FD --job JOB --host-index N --first-port A --last-port B`; throws kInternal.
  RankServerLink(boost::asio::io_context& io, const std::string& program, const std::string& job, uint32_t host_index,
                 const PortRange& ports, Callbacks callbacks);
  ~RankServerLink();

  Channel& channel() { return *channel_; }
  pid_t pid() const { return process_->pid(); }
  bool running() const { return process_->running(); }
  void kill();
  bool wait(std::chrono::milliseconds limit) { return process_->wait(limit); }  // blocking; true = gone
  bool ran_out_of_memory() const;      // killed by SIGKILL, and the kernel's out-of-memory killer acted meanwhile
  std::string cause_of_death() const;  // "signal 9 (Killed)", with its last words if there are any

 private:
  void check_end();

  Callbacks callbacks_;
  const uint64_t oom_kills_before_;  // of this host
  FileDescriptor words_;  // memory file: its stderr, which users should see only if it dies
  std::unique_ptr<Process> process_;
  std::shared_ptr<Channel> channel_;
  bool channel_closed_ = false, ended_ = false;
};

}  // namespace ds
