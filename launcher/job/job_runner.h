// Runs a prepared job: drives the table of job_state.h by what agents, ranks, signals and clocks say. One io_context.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang/hang_watch.h"
#include "launcher/control/host_reports.h"
#include "launcher/elastic/generation_planner.h"
#include "launcher/job/job_state.h"
#include "launcher/output/progress.h"
#include "launcher/control/rank_table.h"
#include "launcher/output/verdict.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class AgentFailed;
class Envelope;
class RankExited;
class Reply;
class Request;
}  // namespace control
class AgentFleet;
class Channel;
class Collector;
class Console;
class JobRecord;
class RankStreams;
class SlurmKillWait;
class StopSignals;
class Timer;
struct Job;
struct ReachFailure;

class JobRunner {
 public:
  JobRunner(boost::asio::io_context& io, Job& job, JobRecord& record, Console& console, StopSignals& signals);
  ~JobRunner();

  // Runs to the end: returns when every reachable agent is gone.
  Verdict run();
  // The last lines of the rank that the verdict names; "" when there are none or they are on the terminal already.
  std::string last_lines(const Verdict& verdict) const;

 private:
  // The table.
  void step(JobEvent event);
  void pump();  // takes every step that is ready
  bool ready() const;
  void act(JobAction action);
  void arm_deadline();
  void overdue();

  // Actions.
  void describe();
  void check_paths();
  void ask_for_paths(const std::vector<int>& hosts);
  void start_generation();
  void announce_running();
  void ask_ranks_to_stop();
  void end_generation(std::chrono::milliseconds grace);
  void set_up_generation();

  // What comes in.
  void take(int host, const control::Envelope& message);
  void agent_failed(int host, const control::AgentFailed& failed);
  void take_report(int host, const control::Envelope& message);
  void take_exit(int host, const control::RankExited& exited);
  void take_progress(int host, const control::Envelope& message);
  void take_request(const std::shared_ptr<Channel>& channel, const control::Request& request);
  void stranger_refused(const std::string& line);
  void take_signal(int signal);
  void host_lost(int host, const std::string& cause);
  void memory_ran_out(int host);
  void agents_late(const std::vector<std::string>& hosts, bool given_up);
  void unreachable(const std::vector<ReachFailure>& failures, bool version);
  void tick();
  void look_at_stdout();  // somebody may have closed it, or its disk may be full

  void request_stop(int exit_code, int signal_to_ranks, const std::string& why);
  // What is done about failures when there may be another generation.
  const Membership& members() const { return planner_.hosts(); }
  bool expected(int host) const;       // at the start: it has not turned out to be gone
  bool all_there_or_gone() const;
  bool enough_to_begin() const;
  void begin_without(const std::vector<ReachFailure>& failures);
  void give_up_unended();              // hosts that do not end their ranks
  void too_few();
  void plan_first();
  bool goes_on_after(const Verdict& verdict) const;
  void setback(Verdict verdict);
  void host_gone(int host, const std::string& cause);
  void decide();                       // the ranks of a generation are gone
  void plan_next();
  bool idle_here(int host) const;      // of an elastic job that has begun: the host has no ranks now
  void look_after_hosts();
  void ask_back(int host, const std::string& problem);
  void take_report_of_returning(int host, const control::Envelope& message);
  void host_back(int host);
  void grow_if_possible();
  // In the place of a launcher that died.
  void await_agents();
  void start_missing();
  bool all_alive() const;
  bool old_ranks_gone() const;
  bool ranks_go_on() const;
  void plan_after_another();
  void resume_ranks();
  void tell_resumed() const;
  void hand_over(bool stepping);

  void fail(Verdict verdict);
  void fail(int exit_code, const std::string& error, const std::string& host = "");
  bool ranks_exist() const;
  std::chrono::milliseconds grace() const;
  std::chrono::milliseconds trace_limit() const;
  std::vector<int> stdin_readers() const;
  std::string host_name(int host) const;

  boost::asio::io_context& io_;
  Job& job_;
  JobRecord& record_;
  Console& console_;
  StopSignals& signals_;
  std::unique_ptr<AgentFleet> fleet_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<RankStreams> streams_;
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<Timer> deadline_, time_limit_, tick_timer_;
  std::unique_ptr<SlurmKillWait> kill_wait_;  // where Slurm ends the job
  JobState state_ = JobState::kReaching;
  std::optional<Verdict> verdict_;
  GenerationPlanner planner_;
  std::optional<Verdict> setback_;  // what ended this generation, when there may be another one
  bool regrouping_ = false;         // ranks were asked to save and end so that the next generation has more hosts
  int generations_ = 0;             // of this launch
  bool keeps_ranks_ = false;        // the first generation of this launch is that of the launcher before
  bool generation_open_ = false;    // begun, and its end is not in the events yet
  bool stopping_ = false;  // the verdict is a stop on request: gentle ends of ranks are no failures
  int stop_signal_ = 0;    // for the ranks
  int stdout_failure_ = 0;  // errno that something was done about
  RankTable ranks_;
  HangWatch hang_;
  HostReports reports_;
  std::vector<bool> reported_;  // hosts that answered Describe or CheckPaths
  std::vector<std::string> path_problems_;
  std::chrono::steady_clock::time_point started_, last_saved_, stop_asked_, generation_began_;
  bool first_step_told_ = false;
  int64_t checkpoint_told_ = -1;
};

}  // namespace ds
