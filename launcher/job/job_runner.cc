#include "launcher/job/job_runner.h"

#include <boost/asio/io_context.hpp>
#include <charconv>
#include <csignal>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/control/collector.h"
#include "launcher/hang/hang_report.h"
#include "launcher/output/console.h"
#include "launcher/output/event_log.h"
#include "launcher/plan/generation_setup.h"
#include "launcher/plan/host_description.h"
#include "launcher/plan/job.h"
#include "launcher/records/job_record.h"
#include "launcher/job/rank_streams.h"
#include "launcher/control/start_message.h"
#include "launcher/job/slurm_kill_wait.h"
#include "launcher/job/stop_grace.h"
#include "launcher/job/stop_signals.h"
#include "launcher/output/terminal_writer.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kKillAfter{1000};       // TERM to KILL after a failure
constexpr milliseconds kTraceLimit{10000};
constexpr seconds kFenceLimit{300};
constexpr seconds kReaderPatience{10};

seconds limit_of(JobState state) {
  switch (state) {
    case JobState::kReaching: return seconds(0);  // every start has a limit of its own (StartLimits)
    case JobState::kDescribing: return seconds(20);
    case JobState::kChecking: return seconds(30);
    case JobState::kForming: return seconds(60);
    case JobState::kEnding: return seconds(10);
    case JobState::kClosing: return seconds(8);
    default: return seconds(0);
  }
}

// 0.5, 90, 86400.
std::string exact_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr};
}

}  // namespace

JobRunner::JobRunner(boost::asio::io_context& io, Job& job, JobRecord& record, Console& console, StopSignals& signals)
    : io_(io),
      job_(job),
      record_(record),
      console_(console),
      signals_(signals),
      planner_(job),
      reported_(job.plan.hosts.size()) {
  deadline_ = std::make_unique<Timer>(io_);
  time_limit_ = std::make_unique<Timer>(io_);
  tick_timer_ = std::make_unique<Timer>(io_);
  FleetEvents events;
  events.on_message = [this](int host, const control::Envelope& message) { take(host, message); };
  events.on_lost = [this](int host, const std::string& cause) { host_lost(host, cause); };
  events.on_oom_kills = [this](int host, uint64_t kills) {
    if (reports_.memory_ran_out(host, kills)) memory_ran_out(host);
  };
  events.on_late = [this](const std::vector<std::string>& hosts, bool given_up) { agents_late(hosts, given_up); };
  events.on_unreachable = [this](const std::vector<ReachFailure>& failures, bool version) {
    unreachable(failures, version);
  };
  events.on_request = [this](const std::shared_ptr<Channel>& channel, const control::Request& request) {
    take_request(channel, request);
  };
  events.on_refused = [this](const std::string& line) { stranger_refused(line); };
  events.on_change = [this] { pump(); };
  events.on_return = [this](int host, const std::string& problem) { ask_back(host, problem); };
  fleet_ = std::make_unique<AgentFleet>(io_, fleet_options(job_), std::move(events));
  streams_ = std::make_unique<RankStreams>(io_, console_, [this](int host, const control::Envelope& message) {
    fleet_->send(host, message);
  });
}

JobRunner::~JobRunner() = default;

Verdict JobRunner::run() {
  started_ = last_saved_ = steady_clock::now();
  signals_.start(io_, [this](int signal) { take_signal(signal); });
  console_.detail("job " + job_.id + ": starting agents on " + std::to_string(job_.plan.hosts.size()) + " host(s)");
  if (job_.options.timeout_seconds) {
    auto limit = std::chrono::duration<double>(*job_.options.timeout_seconds);
    time_limit_->after(std::chrono::duration_cast<std::chrono::nanoseconds>(limit), [this] {
      if (job_.options.state_on_timeout) console_.error(ranks_.state_text(job_.plan));
      fail(kExitTimeLimit, "the job reached its time limit of " + exact_text(*job_.options.timeout_seconds) +
                               " s (--timeout)");
    });
  }
  fleet_->start();
  if (job_.hosts.slurm) kill_wait_ = std::make_unique<SlurmKillWait>(io_);
  record_.publish(fleet_->port(), fleet_options(job_).addresses);
  if (!record_.problem().empty()) console_.note(record_.problem());
  arm_deadline();
  if (job_.after) await_agents();
  tick();
  auto work = boost::asio::make_work_guard(io_);
  pump();
  while (state_ != JobState::kDone) io_.run_one();
  signals_.stop();
  streams_->stop_feeding();
  console_.end_bar();
  streams_->finish();
  // A job that trains, or that somebody wants to end, does not wait for a terminal that nobody reads.
  if (job_.training() || stopping_ || (verdict_ && verdict_->exit_code == kExitTimeLimit))
    console_.writer().set_patience(kReaderPatience);
  Verdict verdict = verdict_.value_or(Verdict{});
  if (verdict.failed() && ranks_.knows(0)) verdict.generation = record_.generation();
  if (verdict.rank) verdict.log = streams_->log_path(*verdict.rank);
  if (progress_ && progress_->has_step()) record_.set_step(progress_->step());
  record_.finish(verdict.exit_code, verdict.error, stopping_);
  console_.writer().drain();
  look_at_stdout();
  return verdict;
}

std::string JobRunner::last_lines(const Verdict& verdict) const {
  bool shown = !job_.training() && job_.plan.world_size == 1;
  return verdict.rank && !shown ? streams_->last_lines(*verdict.rank) : "";
}

// ---- the table

void JobRunner::step(JobEvent event) {
  JobStep next = job_step(state_, event);
  bool moved = next.next != state_;
  if (moved) console_.detail(name_of(state_) + " -> " + name_of(next.next));
  state_ = next.next;
  if (moved) arm_deadline();
  try {
    act(next.action);
  } catch (const Error& error) {
    fail(exit_status(error.code()), error.what());
  }
}

void JobRunner::pump() {
  while (state_ != JobState::kDone && ready()) {
    JobState before = state_;
    if (state_ == JobState::kEnding && !verdict_ && (setback_ || regrouping_)) decide();
    else step(JobEvent::kReady);
    if (state_ == before) return;
  }
}

bool JobRunner::ready() const {
  auto all_reported = [this] {
    for (size_t host = 0; host < reported_.size(); ++host)
      if (!reported_[host] && expected(static_cast<int>(host))) return false;
    return true;
  };
  switch (state_) {
    case JobState::kReaching:
      if (!job_.elastic.shrinks) return job_.after ? all_alive() : fleet_->all_joined();
      return all_there_or_gone() && enough_to_begin();
    case JobState::kDescribing: return all_reported();
    case JobState::kChecking: return all_reported() && old_ranks_gone();
    case JobState::kWaiting: return planner_.can_plan(steady_clock::now()) && old_ranks_gone();
    case JobState::kForming: return ranks_.all_started();
    case JobState::kRunning:
    case JobState::kStopping: return ranks_.all_exited();
    case JobState::kEnding: return ranks_.all_ended();
    case JobState::kClosing: return fleet_->all_gone();
    case JobState::kDone: return false;
  }
  return false;
}

void JobRunner::act(JobAction action) {
  switch (action) {
    case JobAction::kNothing: return;
    case JobAction::kDescribe: return describe();
    case JobAction::kCheckPaths: return check_paths();
    case JobAction::kStartGeneration: return start_generation();
    case JobAction::kAnnounceRunning: return announce_running();
    case JobAction::kAskRanksToStop: return ask_ranks_to_stop();
    case JobAction::kEndGeneration: return end_generation(kKillAfter);
    case JobAction::kEndGenerationAtOnce: return end_generation(milliseconds(0));
    case JobAction::kShutdown:
      if (generation_open_) record_.write({"generation_ended"});
      generation_open_ = false;
      return fleet_->shutdown();
    case JobAction::kAbandon:
      if (std::string left = fleet_->who_is_left(); !left.empty())
        console_.error("agents did not end in time, they clean up by themselves: " + left);
      return;
  }
}

// How long the agents may look into the ranks before they end them.
milliseconds JobRunner::trace_limit() const {
  const bool wanted = hang_.told() || (job_.options.stack_traces && verdict_ && verdict_->exit_code == kExitTimeLimit);
  return wanted ? kTraceLimit : milliseconds(0);
}

void JobRunner::arm_deadline() {
  milliseconds limit = state_ == JobState::kStopping ? grace() : milliseconds(limit_of(state_));
  if (state_ == JobState::kEnding) limit += trace_limit();
  if (state_ == JobState::kWaiting) return deadline_->after(job_.elastic.join_wait, [this] { overdue(); });
  if (limit == milliseconds(0) && state_ != JobState::kStopping) return deadline_->cancel();
  deadline_->after(limit, [this] { overdue(); });
}

void JobRunner::overdue() {
  std::vector<std::string> late;
  if (state_ == JobState::kDescribing || state_ == JobState::kChecking)
    for (size_t host = 0; host < reported_.size(); ++host)
      if (!reported_[host] && expected(static_cast<int>(host))) late.push_back(host_name(static_cast<int>(host)));
  if (state_ == JobState::kForming)
    for (int host : ranks_.unstarted_hosts()) late.push_back(host_name(host));
  if (!late.empty() && !verdict_)
    return fail(1, "launcher: no answer from agents while " + name_of(state_) + ": waited " +
                       std::to_string(limit_of(state_).count()) + " s for " + join(late, ", "), late[0]);
  if (state_ == JobState::kEnding && !verdict_ && (setback_ || regrouping_)) return give_up_unended();
  if ((state_ == JobState::kWaiting || state_ == JobState::kReaching) && !verdict_) return too_few();
  if (state_ == JobState::kStopping && stop_signal_ == SIGUSR1 && verdict_) {
    verdict_->exit_code = 1;
    verdict_->error += ", but ranks " + ranges_text(ranks_.alive_ranks()) + " did not end within " +
                       std::to_string(grace().count() / 1000) + " s (--grace)";
  }
  step(JobEvent::kOverdue);
  pump();
}

bool JobRunner::ranks_exist() const { return state_ >= JobState::kForming && state_ <= JobState::kEnding; }

std::string JobRunner::host_name(int host) const { return job_.plan.hosts[host].name; }

milliseconds JobRunner::grace() const {
  const bool slurm_kills = stop_signal_ != SIGUSR1;  // that comes as early as the user told Slurm
  const auto kill_wait = slurm_kills && kill_wait_ ? std::optional(kill_wait_->value()) : std::nullopt;
  return stop_grace(job_.options.grace_seconds, job_.training(), kill_wait);
}

void JobRunner::tick() {
  tick_timer_->at_next(seconds(1), [this] { tick(); });
  if (job_.elastic.restarts) look_after_hosts();
  record_.alive();
  look_at_stdout();
  if (job_.after && state_ == JobState::kChecking) pump();
  if (!collector_ || !job_.training() || state_ != JobState::kRunning) return;
  std::vector<std::string> overdue = collector_->overdue(steady_clock::now(), kFenceLimit);
  if (!overdue.empty()) return fail(1, "launcher: ranks do not find each other: " + overdue[0]);
  if (streams_->waits_for_reader()) hang_.restart(steady_clock::now());
  const std::optional<Hang> hang = hang_.verdict(steady_clock::now());
  if (!hang) return;
  record_.write(hang_event(*hang, job_));
  console_.note(hang_text(*hang));
  fail(hang_verdict(*hang, job_));
}

}  // namespace ds
