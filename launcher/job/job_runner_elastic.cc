// Generations after a failure: which hosts are there, whether the ranks start again and where, hosts that come back.
#include <csignal>

#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/control/shared_addresses.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/output/console.h"
#include "launcher/output/event_log.h"
#include "launcher/plan/generation_setup.h"
#include "launcher/plan/host_description.h"
#include "launcher/plan/job.h"
#include "launcher/reach/reach_failure.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

using std::chrono::steady_clock;

bool JobRunner::expected(int host) const { return !members().gone(host) && !members().returning(host); }

bool JobRunner::all_there_or_gone() const {
  for (size_t host = 0; host < members().size(); ++host)
    if (!fleet_->is_alive(static_cast<int>(host)) && expected(static_cast<int>(host))) return false;
  return true;
}

// Before hosts are described only those have known slots whose user said so; the others may have enough.
bool JobRunner::enough_to_begin() const {
  int ranks = 0, hosts = 0;
  bool all_known = true;
  for (size_t host = 0; host < members().size(); ++host) {
    if (!fleet_->is_alive(static_cast<int>(host))) continue;
    const std::optional<int>& slots = job_.hosts.cluster.hosts[host].slots;
    ++hosts;
    ranks += slots.value_or(0);
    all_known &= slots.has_value();
  }
  return hosts >= job_.elastic.min_hosts &&
         (!all_known || job_.options.oversubscribe || ranks >= job_.elastic.min_ranks);
}

void JobRunner::begin_without(const std::vector<ReachFailure>& failures) {
  for (size_t host = 0; host < members().size(); ++host)
    if (!fleet_->is_alive(static_cast<int>(host))) planner_.hosts().lost(static_cast<int>(host), steady_clock::now());
  const std::string seconds = std::to_string(job_.elastic.join_wait.count());
  console_.note("hosts could not be reached, " +
                (enough_to_begin() ? "the job starts without them" : "waiting up to " + seconds + " s for them") +
                "\n" + describe_reach_failures(failures));
  if (!enough_to_begin()) deadline_->after(job_.elastic.join_wait, [this] { overdue(); });
  pump();
}

void JobRunner::plan_first() {
  const auto now = steady_clock::now();
  for (size_t host = 0; host < members().size(); ++host)
    if (expected(static_cast<int>(host))) planner_.hosts().joined(static_cast<int>(host), now);
  if (job_.after && job_.after->resumes) return plan_after_another();
  if (!planner_.plan_first(now)) too_few();
}

// ---- failures

bool JobRunner::goes_on_after(const Verdict& verdict) const {
  if (!job_.elastic.restarts || !ranks_exist() || verdict_ || verdict.settled) return false;
  if (verdict.host_fault) return true;
  const bool refused = job_.training() && verdict.exit_code == exit_status(ErrorCode::kUsage) && !verdict.signal;
  // The ranks were asked to save and end, past the launcher (scancel -s USR1 reaches every step).
  const bool saved = job_.training() && verdict.exit_code == kExitTryLater && !verdict.signal && progress_->has_step();
  return !refused && !saved && verdict.exit_code != kExitTimeLimit;
}

void JobRunner::setback(Verdict verdict) {
  const bool first = !setback_;
  if (!first && !happened_before(verdict, *setback_)) return;
  setback_ = std::move(verdict);
  if (!first) return;
  console_.detail(setback_->error);
  step(JobEvent::kFailed);
  pump();
}

void JobRunner::host_gone(int host, const std::string& cause) {
  const bool had_ranks = ranks_exist() && planner_.has_ranks(host);
  planner_.hosts().lost(host, steady_clock::now());
  if (ranks_exist()) ranks_.host_ended(host);
  const std::string what = "host lost: " + host_name(host) + ": " + cause;
  bool any_left = false;
  for (size_t other = 0; other < members().size(); ++other) any_left |= fleet_->is_alive(static_cast<int>(other));
  const bool before_ranks = state_ < JobState::kForming && state_ != JobState::kWaiting;
  if (had_ranks || (before_ranks && (!any_left || !job_.elastic.shrinks)))
    fail(kExitHostLost, what, host_name(host));
  else
    console_.note(what + ": the job goes on without it");
  pump();
}

bool JobRunner::idle_here(int host) const {
  return job_.elastic.restarts && generations_ > 0 && !(ranks_exist() && planner_.has_ranks(host));
}

// ---- the next generation

void JobRunner::decide() {
  using Course = GenerationPlanner::Course;
  std::optional<int64_t> reached;
  if (job_.training()) reached = progress_->has_step() ? progress_->step() : -1;
  Event ended{"generation_ended"};
  ended.reason = setback_ ? setback_->error : "regrouped to take in hosts that returned";
  record_.write(ended);
  generation_open_ = false;
  planner_.checkpoint_at(checkpoint_told_);
  const GenerationPlanner::Outcome outcome =
      planner_.decide(setback_ ? &*setback_ : nullptr, reached, steady_clock::now());
  const std::string cause = setback_ ? setback_->error + "; " : "";
  if (outcome.course == Course::kGiveUp) {
    verdict_ = *setback_;
    verdict_->exit_code = outcome.end.exit_code;
    verdict_->advice =
        "Not started again: " + outcome.end.reason + "." + (verdict_->advice.empty() ? "" : "\n" + verdict_->advice);
    return step(JobEvent::kReady);
  }
  if (outcome.course == Course::kAgain) {
    console_.note(cause + outcome.text);
    return step(JobEvent::kAgain);
  }
  console_.note(cause + "too few hosts are left, waiting up to " + std::to_string(job_.elastic.join_wait.count()) +
                " s for " + planner_.gone_hosts());
  record_.set_state("waiting");
  step(JobEvent::kTooFew);
}

// In place of the plan of the generation before.
void JobRunner::plan_next() {
  keep_shared_addresses(job_.hosts.cluster.hosts, fleet_->contact_addresses(), !job_.options.interface.empty());
  planner_.checkpoint_at(checkpoint_told_);
  if (const std::string text = planner_.plan_next(steady_clock::now()); !text.empty()) console_.note(text);
  if (!job_.plan.ranks.empty()) job_.meeting_port = reports_.free_port(static_cast<int>(job_.plan.ranks[0].host));
  record_.next_generation();
  setback_.reset();
  regrouping_ = first_step_told_ = keeps_ranks_ = false;
  stop_signal_ = 0;
}

void JobRunner::give_up_unended() {
  for (int host : ranks_.unended_hosts()) fleet_->give_up(host, "it did not end its ranks in time");
  pump();
}

void JobRunner::too_few() {
  Verdict verdict = setback_.value_or(Verdict{});
  verdict.settled = true;
  verdict.exit_code = job_.elastic.shrinks ? kExitTryLater : kExitHostLost;
  verdict.error += (verdict.error.empty() ? "" : "; ") + std::string("too few hosts: waited ") +
                   std::to_string(job_.elastic.join_wait.count()) + " s for " + planner_.gone_hosts();
  fail(std::move(verdict));
}

// ---- hosts that come back

void JobRunner::look_after_hosts() {
  if (state_ == JobState::kClosing || state_ == JobState::kDone || verdict_) return;
  for (int host : planner_.hosts().due(steady_clock::now())) {
    planner_.hosts().trying(host);
    fleet_->start_again(host);
  }
  if (state_ == JobState::kWaiting) return pump();
  grow_if_possible();
}

void JobRunner::ask_back(int host, const std::string& problem) {
  if (problem.empty() && state_ == JobState::kReaching)
    return planner_.hosts().arrived(host);  // described with the others
  if (!problem.empty()) {
    console_.detail(host_name(host) + " is not back: " + problem);
    planner_.hosts().lost(host, steady_clock::now());
    return pump();
  }
  control::Envelope message;
  message.mutable_describe()->set_interface(job_.options.interface);
  fleet_->send(host, message);
}

void JobRunner::take_report_of_returning(int host, const control::Envelope& message) {
  if (message.has_host_report()) {
    take_hardware(job_.hosts.cluster.hosts[static_cast<size_t>(host)], host_of_report(message.host_report()));
    reports_.add(host, message.host_report());
    fill_slots(job_.hosts.cluster, job_.training(), job_.options.threads_are_cpus);
    if (!job_.training()) return host_back(host);
    return ask_for_paths({host});
  }
  std::vector<std::string> problems(message.path_report().problems().begin(), message.path_report().problems().end());
  if (problems.empty()) return host_back(host);
  console_.note(host_name(host) + " is back but stays out: " + join(problems, "; "));
}

void JobRunner::host_back(int host) {
  planner_.hosts().joined(host, steady_clock::now());
  Event event{"host_recovered"};
  event.host = host_name(host);
  record_.write(event);
  console_.note("host " + host_name(host) + " is back");
  pump();
}

// A larger world needs a new generation: the ranks save and end, and start again with the host that has come back and
// stayed. Programs without checkpoints would lose their work.
void JobRunner::grow_if_possible() {
  if (state_ != JobState::kRunning || !job_.training() || !job_.elastic.shrinks || verdict_ || setback_ || regrouping_)
    return;
  if (!progress_->has_step()) return;
  const int world = planner_.larger_world(steady_clock::now());
  if (world == 0) return;
  console_.note("the job can have " + std::to_string(world) + " ranks instead of " +
                std::to_string(job_.plan.world_size) + ": the ranks save and start again");
  regrouping_ = true;
  stop_signal_ = SIGUSR1;
  step(JobEvent::kStopRequested);
  pump();
}

}  // namespace ds
