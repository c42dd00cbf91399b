// The ranks of one generation on this host, from start to the last process gone.
//
//   kPreparing --wired up--> kRunning --EndGeneration--> kStopping (TERM) --all gone or grace over--> kKilling -->
//   kEnded
//
// Ranks may end at any time; nothing follows from it here: the launcher judges and sends EndGeneration.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/event_loop.h"
#include "agent/leftovers.h"
#include "agent/output_window.h"
#include "agent/rank_environment.h"
#include "agent/rank_server/local_rank.h"
#include "agent/rank_server/rank_command.h"
#include "agent/rank_server/stack_traces.h"
#include "agent/rank_server/start_threads.h"
#include "agent/rank_server/wireup.h"

namespace ds {

namespace control {
class Input;
class StartGeneration;
}  // namespace control

class LocalGeneration {
 public:
  enum class State { kPreparing, kRunning, kStopping, kKilling, kEnded };

  // `surroundings.block_path` is filled in per rank. `on_ended` follows GenerationEnded.
  LocalGeneration(boost::asio::io_context& io, std::shared_ptr<Channel> channel, Wireup& wireup,
                  const Environment& inherited, const control::StartGeneration& start, RankSurroundings surroundings,
                  Action on_ended);
  ~LocalGeneration();

  void begin();  // answers GenerationStarted, or RankExited for every rank that cannot be started
  void input(const control::Input& input);
  void output_taken(uint64_t total_bytes) { output_window_.taken(total_bytes); }
  void signal(int number);
  // TERM, then KILL after the grace; with a trace limit, first tells where the threads of the ranks stand. Answers
  // GenerationEnded; a shorter grace may follow.
  void end(std::chrono::milliseconds grace, std::chrono::milliseconds trace_limit);
  void reap();  // what ranks left behind: this process is their subreaper, and zombies would pile up
  State state() const { return state_; }

 private:
  void end_now(std::chrono::milliseconds grace);
  void wired_up(const std::string& problem);
  bool make_commands(std::vector<RankCommand>& commands);
  void start_ranks(std::vector<RankCommand> commands);
  void refuse(uint32_t rank, int exit_code, const std::string& problem, bool host_fault);
  void rank_ended(LocalRank& rank);
  void rank_exited(LocalRank& rank);
  void send_started();
  void send_progress(LocalRank& rank);
  void watch_progress();
  void kill_rest();
  void ended(const std::string& problem);
  bool program_links_mpi(const std::string& program);
  bool any_running() const;
  std::set<pid_t> children() const;
  void send_to_ranks(int number);

  boost::asio::io_context& io_;
  std::shared_ptr<Channel> channel_;
  Wireup& wireup_;
  const Environment& inherited_;  // before anything is added for a rank
  std::unique_ptr<control::StartGeneration> start_;
  RankSurroundings surroundings_;
  JobMarker marker_;
  Action on_ended_;
  State state_ = State::kPreparing;
  OutputWindow output_window_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
  StartThreads start_threads_;  // ranks die with them
  std::vector<std::string> programs_;  // by local rank
  std::map<std::string, bool> links_mpi_;  // of programs that have been looked at
  uint64_t oom_kills_before_ = 0;  // of this host, when the ranks were started
  std::unique_ptr<StackTraces> traces_;
  Timer grace_, kill_round_, progress_;
  std::chrono::steady_clock::time_point kill_deadline_;
  int untold_ends_ = 0;  // of ranks that ended, posted
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted
};

}  // namespace ds
