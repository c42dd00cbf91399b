// The generations of one host, one at a time: hands each to a rank server, watches that server, and answers
// GenerationEnded only when nothing of the generation is left. A server is started ahead of need.
//
//   none --StartGeneration--> kStarting --a rank's first sign--> kRunning --EndGeneration--> kEnding --server gone-->
//   none
//
// A server that dies in kStarting or kRunning is AgentFailed: its ranks died with it, and nobody knows how they stood.
//
// While the launcher of an elastic job is away the generation is on hold: its ranks run, what its server says waits.
// The launcher that follows resumes it and hears again how the ranks started and which have ended, or has it killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/event_loop.h"
#include "agent/free_port.h"
#include "agent/job_folders.h"
#include "agent/rank_server_link.h"
#include "agent/server_watch.h"

namespace ds {

namespace control {
class EndGeneration;
class StartGeneration;
}  // namespace control

class HostGenerations {
 public:
  struct Options {
    std::string program;  // dsagent
    std::string job;
    std::string host_name;
    uint32_t host_index = 0;
    bool elastic = false;      // it may outlive its launcher, and a next generation is likely
    // Children of the agent that are no part of a generation, nor is what they started.
    std::function<std::set<pid_t>()> others = [] { return std::set<pid_t>{}; };
    PortRange ports = {};      // of the rank servers
  };

  HostGenerations(boost::asio::io_context& io, Options options, const JobFolders& folders);
  ~HostGenerations();

  void start_spare();                               // throws kInternal
  void connect(std::shared_ptr<Channel> launcher);  // what was said before goes out now, or when it resumes
  uint32_t hold();                                  // returns the generation that is on hold; 0 = none
  void resume(uint32_t generation);                 // 0: kills what is on hold

  void start(control::StartGeneration start);
  void end(const control::EndGeneration& end);
  void pass_on(const control::Envelope& message);  // to the ranks' server, if there is one

  std::set<pid_t> server_pids() const;

  // At the end of the job: true when no generation is there and the spare server is gone, so nothing can be left.
  bool end_quickly();

 private:
  enum class State { kStarting, kRunning, kEnding };
  struct Current {
    uint32_t generation = 0;
    State state = State::kStarting;
    std::unique_ptr<RankServerLink> server;
    bool confirmed = false;  // it said GenerationEnded
    std::string problem;     // from the server's GenerationEnded
    std::vector<std::string> facts;  // Envelopes on how its ranks started and ended
    uint64_t output_bytes = 0;       // sent to launchers
    uint64_t taken_before = 0;       // of these, to launchers that are gone
  };

  void send(const control::Envelope& message);
  void forward(const control::Envelope& message);
  void give_up_current();
  enum class Blame { kHost, kEvent, kMemory };  // kHost: would fail again here
  void fail(const std::string& reason, int exit_code, Blame blame);
  void send_ended(uint32_t generation, const std::string& problem);
  void prepare_files(control::StartGeneration& start) const;
  uint32_t own_node(const control::StartGeneration& start) const;
  void hand_over(control::StartGeneration start);
  void from_server(const control::Envelope& message);
  void sign_of_life();
  bool ask_server();
  void server_is_silent();
  void hold_server_back();
  void some_server_ended();
  void spare_ended();
  void current_ended();
  void retire(std::unique_ptr<RankServerLink> server);
  std::string clean_up(uint32_t generation, bool confirmed);

  boost::asio::io_context& io_;
  Options options_;
  const JobFolders& folders_;
  std::shared_ptr<Channel> launcher_;
  std::vector<std::string> unsent_;  // Envelopes from before the launcher was reached, or from while it was away
  bool held_ = false;
  Timer deadline_, spare_timer_;
  ServerWatch watch_;
  std::unique_ptr<RankServerLink> spare_;
  std::unique_ptr<Current> current_;
  std::vector<std::unique_ptr<RankServerLink>> retired_;  // ended, but their callback is still on the stack
  int spares_lost_ = 0;
};

}  // namespace ds
