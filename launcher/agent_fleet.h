// All agents of a job: starts them, lets them join, keeps the leases, carries messages, and sees them gone again.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/agent_starter.h"
#include "launcher/reach_failure.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class Envelope;
class Hello;
class Request;
}  // namespace control
class Channel;
class Listener;
class MarkerScan;
class Timer;

struct FleetOptions {
  std::string job, key;
  std::vector<Host> hosts;
  std::vector<bool> local;          // which hosts are this machine
  bool slurm = false;               // reach the others by srun, else by ssh
  std::string ssh = "ssh", agent_here, agent_there;  // agent_*: paths of dsagent
  std::vector<std::string> addresses;                // to publish to other hosts
  std::optional<std::pair<int, int>> ports;
  std::chrono::milliseconds reach_limit{10000}, beat{500}, silence_limit{6000}, agent_lease{20000}, sweep_limit{3000};
};

struct FleetEvents {
  std::function<void(int host, const control::Envelope&)> on_message;  // beats are kept inside
  std::function<void(int host, const std::string& cause)> on_lost;     // a host that had joined
  // Once, when every host has answered or failed or time is up; `version`: builds differ, not a matter of reaching.
  std::function<void(const std::vector<ReachFailure>&, bool version)> on_unreachable;
  std::function<void(std::shared_ptr<Channel>, const control::Request&)> on_request;
  std::function<void()> on_change;  // somebody joined or left
};

class AgentFleet {
 public:
  AgentFleet(boost::asio::io_context& io, FleetOptions options, FleetEvents events);
  ~AgentFleet();  // kills helpers that are left

  void start();
  void send(int host, const control::Envelope& message);
  void send_all(const control::Envelope& message);
  size_t queued_bytes(int host) const;

  bool all_joined() const;
  bool is_alive(int host) const;  // joined and not lost
  int num_alive() const;
  void shutdown();  // tells all agents to go; closing channels are no losses from now on
  bool all_gone() const;
  std::string who_is_left() const;  // "node2, node3": for messages
  int port() const;

 private:
  struct Helper {
    AgentCommand plan;
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<MarkerScan> scan;
  };
  struct Link {
    std::shared_ptr<Channel> channel;
    std::chrono::steady_clock::time_point heard;
    bool joined = false, lost = false;
    std::string failure;  // why it did not come
  };
  struct Sweep {
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<Timer> timer;
    int host;
    bool done = false;
  };

  void start_helpers();
  void start_helper(const AgentCommand& plan);
  std::string bootstrap_for(const AgentCommand& plan, const std::string& marker) const;
  void take_stdout(Helper& helper, const std::string& bytes);
  void helper_ended(Helper& helper);
  void accept(int fd);
  void open_channel(int read_fd, int write_fd);
  void first_message(std::weak_ptr<Channel> channel, const control::Envelope& message);
  void welcome(std::shared_ptr<Channel> channel, const control::Hello& hello);
  void take(int host, const control::Envelope& message);
  void closed(int host, const std::string& reason);
  void lose(int host, const std::string& cause, bool silent);
  void sweep(int host);
  void release_helper(int host, bool at_once);
  void tick();
  void check_reached(bool time_over);
  const AgentStarter& starter_of(int host) const;

  boost::asio::io_context& io_;
  FleetOptions options_;
  FleetEvents events_;
  std::unique_ptr<AgentStarter> local_, remote_;
  std::unique_ptr<Listener> listener_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<Sweep>> sweeps_;
  std::map<Channel*, std::shared_ptr<Channel>> strangers_;  // connected, nothing said yet
  std::unique_ptr<Timer> beat_timer_, reach_timer_;
  std::chrono::steady_clock::time_point last_tick_, started_;
  std::vector<ReachFailure> failures_;
  bool shutting_down_ = false, told_unreachable_ = false, version_differs_ = false;
};

}  // namespace ds
