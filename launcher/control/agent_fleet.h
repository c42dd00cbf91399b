// All agents of a job: lets them join, keeps the leases, carries messages, and sees them gone again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/open_file_limit.h"
#include "launcher/control/agent_contact.h"
#include "launcher/control/standstill.h"
#include "launcher/reach/agent_processes.h"
#include "launcher/reach/agent_reach.h"
#include "launcher/options/fleet_options.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class AgentStartEnded;
class Beat;
class Envelope;
class Hello;
class Request;
}  // namespace control
class Channel;
class ControlPort;
class Timer;

struct FleetEvents {
  std::function<void(int host, const control::Envelope&)> on_message;  // beats are kept inside
  std::function<void(int host, const std::string& cause)> on_lost;     // a host that had joined
  // The kernel of that host has killed so many processes for memory so far; after on_lost, if there is still a way to ask.
  std::function<void(int host, uint64_t oom_kills)> on_oom_kills;
  // No answer from these in their time, while others are still on their way: `given_up`, or waited for.
  std::function<void(const std::vector<std::string>& hosts, bool given_up)> on_late;
  // Once, when every host has answered or failed or time is up; `version`: builds differ, not a matter of reaching.
  std::function<void(const std::vector<ReachFailure>&, bool version)> on_unreachable;
  std::function<void(const std::shared_ptr<Channel>&, const control::Request&)> on_request;
  std::function<void(const std::string& line)> on_refused;  // strangers at the control port, for the log
  std::function<void()> on_change;                          // somebody joined or left
  // A host whose agent was started again: "" = it has joined, else why it did not.
  std::function<void(int host, const std::string& problem)> on_return;
};

class AgentFleet {
 public:
  AgentFleet(boost::asio::io_context& io, FleetOptions options, FleetEvents events);
  ~AgentFleet();  // kills helpers that are left

  // Starts the agents; when it follows an earlier launcher, waits for its agents to come, and start_again() starts those
  // that do not.
  void start();
  void send(int host, const control::Envelope& message);
  void send_serialized(int host, const std::string& envelope);
  void send_all(const control::Envelope& message);

  // Brings an agent onto a host that was lost or never reached; on_return tells the end of that.
  void start_again(int host);

  // A host that does not do what it is told counts as lost.
  void give_up(int host, const std::string& cause) { lose(host, cause, true); }

  bool all_joined() const;
  bool is_alive(int host) const;  // joined and not lost
  // With which it came; 0 = none.
  int kept_generation(int host) const { return links_[host].kept_generation.value_or(0); }
  // No rank of an earlier launcher can be there without our knowing of it.
  bool is_clear(int host) const { return links_[host].kept_generation || processes_.was_swept(host); }
  void shutdown();  // tells all agents to go; closing channels are no losses from now on
  bool all_gone() const;
  // By host: the address at which it is in contact, "" = none (frames over ssh, or it was never reached).
  std::vector<std::string> contact_addresses() const;
  std::string who_is_left() const;  // "node2, node3": for messages
  int port() const;

 private:
  struct Link {
    std::shared_ptr<Channel> channel;
    std::optional<AgentContact> contact;  // once it has joined
    bool joined = false, lost = false;
    std::optional<std::chrono::steady_clock::time_point> again{};  // started again: when that is too late
    bool started_here = false;                                     // by this launcher, whoever started it at first
    bool awaited = false;                                          // an earlier launcher started it
    std::optional<int> kept_generation{};                          // it came back with these ranks, 0 = none
  };

  void open_port();
  void process_ended(const std::vector<int>& hosts, const std::string& said, int exit_code);
  std::optional<int> welcome(const std::shared_ptr<Channel>& channel, const control::Hello& hello);
  std::string reason_to_reject(int host, const control::Hello& hello);
  void ask_to_start(int host, const std::vector<int>& children);
  void take(int host, const control::Envelope& message);
  void start_ended(const control::AgentStartEnded& ended);
  void answer_beat(Link& link, const control::Beat& beat);
  void closed(int host, const std::string& reason);
  std::string cause_of_end(const std::string& reason) const;
  void let_go_of_dead_hosts();
  void lose(int host, const std::string& cause, bool silent);
  void not_back(int host, const std::string& problem);
  void tick();
  void release(int host, bool at_once);

  boost::asio::io_context& io_;
  const FleetOptions options_;
  FleetEvents events_;
  OpenFileLimit files_;
  AgentProcesses processes_;
  std::unique_ptr<ControlPort> port_;
  std::vector<Link> links_;
  AgentReach reach_;
  std::unique_ptr<Timer> tick_timer_, let_go_timer_;
  Standstill own_;
  bool shutting_down_ = false;
};

}  // namespace ds
