// Agents of other hosts that this agent brings up for the launcher: the processes (ssh) that do it, and that are the life
// lines of those agents afterwards.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "agent/event_loop.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class AgentStart;
class Bootstrap;
class EndAgentStart;
}  // namespace control
class HelperProcess;
class MarkerScan;

class AgentStarts {
 public:
  // A process ended; `said`: the end of its stderr. Its agent, if it had come, is gone or cut off from its life line.
  using OnEnded = std::function<void(uint32_t host_index, int exit_code, const std::string& said)>;

  // `own`: the bootstrap of this agent, borrowed; the others get it with a host index and a marker of their own.
  AgentStarts(boost::asio::io_context& io, const control::Bootstrap& own, OnEnded on_ended);
  ~AgentStarts();  // kills what is left

  void start(const control::AgentStart& start);
  void end(const control::EndAgentStart& end);
  std::set<pid_t> pids() const;
  // Calls `then` as soon as all have ended. After `limit` those that are left lose their life lines and are killed.
  void wait_for_all(std::chrono::milliseconds limit, std::function<void()> then);

 private:
  struct Start {
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<MarkerScan> scan;
    bool speaks_here = false;  // its agent did not find the launcher, and wants to speak through this process
  };

  void ended(uint32_t host_index, const Start& start);
  void check_all_ended();

  boost::asio::io_context& io_;
  const control::Bootstrap& own_;
  OnEnded on_ended_;
  std::map<uint32_t, std::shared_ptr<Start>> starts_;
  Timer limit_;
  std::function<void()> when_all_ended_;
};

}  // namespace ds
