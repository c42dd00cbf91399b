// Getting an agent onto every host: keeps the schedule of starts, hears how each of them goes, and tells once which hosts
// could not be reached and why.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/reach/reach_failure.h"
#include "launcher/reach/start_schedule.h"
#include "topology/host.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class Timer;

struct AgentReachEvents {
  std::function<void(int host)> start;                                       // the launcher itself starts its agent
  std::function<void(int host, const std::vector<int>& children)> ask;       // the agent of `host` starts these
  std::function<std::string(int host)> said_about;                           // what its start has said so far
  // Hosts that gave no answer in their time, while others are still on their way: `given_up`, or waited for.
  std::function<void(const std::vector<std::string>& hosts, bool given_up)> on_late;
  // Once, when every host has joined or failed or its time is up; `version`: builds differ, not a matter of reaching.
  std::function<void(const std::vector<ReachFailure>&, bool version)> on_unreachable;
};

class AgentReach {
 public:
  // `warm`, `tree`: hosts that are started one by one; the others are under way already.
  AgentReach(boost::asio::io_context& io, const std::vector<Host>& hosts, const std::vector<int>& warm,
             const std::vector<int>& tree, StartLimits limits, AgentReachEvents events);
  ~AgentReach();

  void go();
  void joined(int host);
  // The process that started it ended, here or (`by`) where its starter runs.
  void start_ended(int host, const std::string& said, int exit_code);
  void rejected(int host, const std::string& versions);  // another build
  void lost(int host);                                   // it had joined
  void stop();                                           // nothing is started any more, nobody is told

  std::optional<int> starter(int host) const { return schedule_.starter(host); }

 private:
  using Clock = std::chrono::steady_clock;

  void start_more();
  void fail(const ReachFailure& failure, int host);
  void look_at_clock();
  void set_clock();
  void check_all_over();

  const std::vector<Host>& hosts_;
  AgentReachEvents events_;
  StartSchedule schedule_;
  std::vector<Clock::time_point> started_;
  std::unique_ptr<Timer> timer_;
  std::vector<ReachFailure> failures_;
  bool version_differs_ = false, clock_set_ = false, over_ = false;
};

}  // namespace ds
