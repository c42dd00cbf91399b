#include "launcher/job_runner.h"

#include <boost/asio/io_context.hpp>
#include <csignal>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/proto/control.pb.h"
#include "launcher/agent_fleet.h"
#include "launcher/collector.h"
#include "launcher/console.h"
#include "launcher/event_log.h"
#include "launcher/generation_setup.h"
#include "launcher/host_description.h"
#include "launcher/job.h"
#include "launcher/job_record.h"
#include "launcher/rank_output.h"
#include "launcher/start_message.h"
#include "launcher/stdin_reader.h"
#include "launcher/stop_signals.h"
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

seconds limit_of(JobState state) {
  switch (state) {
    case JobState::kReaching: return seconds(20);  // the fleet's own limit comes first
    case JobState::kDescribing: return seconds(20);
    case JobState::kChecking: return seconds(30);
    case JobState::kForming: return seconds(60);
    case JobState::kEnding: return seconds(10);
    case JobState::kClosing: return seconds(8);
    default: return seconds(0);
  }
}

}  // namespace

JobRunner::JobRunner(boost::asio::io_context& io, Job& job, JobRecord& record, Console& console, StopSignals& signals)
    : io_(io), job_(job), record_(record), console_(console), signals_(signals), reported_(job.plan.hosts.size()) {
  deadline_ = std::make_unique<Timer>(io_);
  time_limit_ = std::make_unique<Timer>(io_);
  tick_timer_ = std::make_unique<Timer>(io_);
  FleetEvents events;
  events.on_message = [this](int host, const control::Envelope& message) { take(host, message); };
  events.on_lost = [this](int host, const std::string& cause) { host_lost(host, cause); };
  events.on_unreachable = [this](const std::vector<ReachFailure>& failures, bool version) { unreachable(failures, version); };
  events.on_request = [this](const std::shared_ptr<Channel>& channel, const control::Request& request) {
    take_request(channel, request);
  };
  events.on_refused = [this](const std::string& line) { stranger_refused(line); };
  events.on_change = [this] { pump(); };
  fleet_ = std::make_unique<AgentFleet>(io_, fleet_options(job_), std::move(events));
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
      fail(kExitTimeLimit, "the job reached its time limit of " + short_number(*job_.options.timeout_seconds) +
                               " s (--timeout)");
    });
  }
  fleet_->start();
  record_.publish(fleet_->port(), fleet_options(job_).addresses);
  if (!record_.problem().empty()) console_.note(record_.problem());
  arm_deadline();
  tick();
  auto work = boost::asio::make_work_guard(io_);
  pump();
  while (state_ != JobState::kDone) io_.run_one();
  signals_.stop();
  stdin_.reset();
  console_.end_bar();
  Verdict verdict = verdict_.value_or(Verdict{});
  if (verdict.failed() && ranks_.knows(0)) verdict.generation = record_.generation();
  if (verdict.rank && output_) verdict.log = output_->log_path(*verdict.rank);
  if (progress_ && progress_->has_step()) record_.set_step(progress_->step());
  record_.finish(verdict.exit_code, verdict.error, stopping_);
  return verdict;
}

std::string JobRunner::last_lines(const Verdict& verdict) const {
  bool shown = !job_.training() && job_.plan.world_size == 1;
  return verdict.rank && output_ && !shown ? output_->last_lines(*verdict.rank) : "";
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
    step(JobEvent::kReady);
    if (state_ == before) return;
  }
}

bool JobRunner::ready() const {
  auto all_reported = [this] {
    for (size_t host = 0; host < reported_.size(); ++host)
      if (!reported_[host]) return false;
    return true;
  };
  switch (state_) {
    case JobState::kReaching: return fleet_->all_joined();
    case JobState::kDescribing:
    case JobState::kChecking: return all_reported();
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
      if (output_) record_.write({"generation_ended"});
      return fleet_->shutdown();
    case JobAction::kAbandon:
      if (std::string left = fleet_->who_is_left(); !left.empty())
        console_.error("agents did not end in time, they clean up by themselves: " + left);
      return;
  }
}

// How long the agents may look into the ranks before they end them.
milliseconds JobRunner::trace_limit() const {
  const bool wanted = job_.options.stack_traces && verdict_ && verdict_->exit_code == kExitTimeLimit;
  return wanted ? kTraceLimit : milliseconds(0);
}

void JobRunner::arm_deadline() {
  milliseconds limit = state_ == JobState::kStopping ? grace() : milliseconds(limit_of(state_));
  if (state_ == JobState::kEnding) limit += trace_limit();
  if (limit == milliseconds(0) && state_ != JobState::kStopping) return deadline_->cancel();
  deadline_->after(limit, [this] { overdue(); });
}

void JobRunner::overdue() {
  std::vector<std::string> late;
  if (state_ == JobState::kDescribing || state_ == JobState::kChecking)
    for (size_t host = 0; host < reported_.size(); ++host)
      if (!reported_[host]) late.push_back(host_name(static_cast<int>(host)));
  if (state_ == JobState::kForming)
    for (int host : ranks_.unstarted_hosts()) late.push_back(host_name(host));
  if (!late.empty() && !verdict_)
    return fail(1, "launcher: no answer from agents while " + name_of(state_) + ": waited " +
                       std::to_string(limit_of(state_).count()) + " s for " + join(late, ", "), late[0]);
  if (state_ == JobState::kStopping && stop_signal_ == SIGUSR1 && verdict_) {
    verdict_->exit_code = 1;
    verdict_->error += ", but ranks " + ranges_text(ranks_.alive_ranks()) + " did not end within " +
                       std::to_string(grace().count() / 1000) + " s (--grace)";
  }
  step(JobEvent::kOverdue);
  pump();
}

// ---- actions

void JobRunner::describe() {
  control::Envelope message;
  message.mutable_describe()->set_interface(job_.options.interface);
  fleet_->send_all(message);
}

void JobRunner::check_paths() {
  complete_plan(job_);
  if (!job_.plan.placed) throw Error(ErrorCode::kInternal, "launcher: a host did not tell its cores");
  if (!job_.plan.ranks.empty()) job_.meeting_port = reports_.free_port(static_cast<int>(job_.plan.ranks[0].host));
  record_.open_output();
  if (!record_.already_done().empty() || job_.plan.world_size == 0) {
    if (!record_.already_done().empty()) console_.note(record_.already_done());
    return step(JobEvent::kFailed);  // nothing to do: a verdict of 0
  }
  if (job_.options.display_allocation) console_.out(allocation_text(job_.plan));
  if (job_.options.display_map) console_.out(map_text(job_.plan));
  if (job_.options.report_bindings && job_.options.bind_to != "none") console_.err(bindings_text(job_.plan));
  if (!job_.training()) return;
  reported_.assign(reported_.size(), false);
  control::Envelope message;
  control::CheckPaths& check = *message.mutable_check_paths();
  for (const std::string& path : paths_to_check(job_)) check.add_readable(path);
  check.set_token_file(record_.token_path());
  check.set_token(record_.token());
  fleet_->send_all(message);
}

void JobRunner::set_up_generation() {
  ranks_ = RankTable(job_.plan);
  std::vector<std::string> names;
  std::vector<int> nodes = nodes_of(job_.plan);
  for (int host : nodes) names.push_back(host_name(host));
  collector_ = std::make_unique<Collector>(record_.generation(), names, [this, nodes](int node, const control::Envelope& message) {
    fleet_->send(nodes[node], message);
  });
  output_ = std::make_unique<RankOutput>(console_, output_options(job_, record_.log_folder()));
  progress_ = std::make_unique<Progress>(progress_style_of(job_), job_.settings ? job_.settings->log_every : 1,
                                         job_.plan.world_size);
  progress_->start_generation(record_.generation(), steady_clock::now());
}

void JobRunner::start_generation() {
  set_up_generation();
  record_.write({"generation_forming"});
  record_.set_state("forming");
  std::vector<std::string> warnings;
  StartRequest request = start_request(job_, record_.generation(), warnings);
  for (const std::string& warning : warnings) console_.note(warning);
  StartMessages messages(job_.plan, request);
  for (int host : nodes_of(job_.plan)) fleet_->send_serialized(host, messages.for_host(host));
}

void JobRunner::announce_running() {
  record_.write({"generation_running"});
  record_.set_state("running");
  if (!job_.training() && job_.options.stdin_target != "none") feed_stdin();  // ranks that are not there read nothing
  auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - started_);
  console_.detail(std::to_string(job_.plan.world_size) + " ranks run after " + std::to_string(took.count()) + " ms");
}

void JobRunner::ask_ranks_to_stop() {
  record_.set_state("stopping");
  control::Envelope message;
  message.mutable_signal()->set_generation(record_.generation());
  message.mutable_signal()->set_signal(stop_signal_);
  fleet_->send_all(message);
}

void JobRunner::end_generation(milliseconds grace) {
  stdin_.reset();
  control::Envelope message;
  message.mutable_end()->set_generation(record_.generation());
  message.mutable_end()->set_grace_ms(static_cast<uint32_t>(grace.count()));
  message.mutable_end()->set_trace_ms(static_cast<uint32_t>(trace_limit().count()));
  for (int host : ranks_.unended_hosts()) {
    if (fleet_->is_alive(host)) fleet_->send(host, message);
    else ranks_.host_ended(host);
  }
}

void JobRunner::feed_stdin() {
  std::vector<int> readers;
  for (int rank = 0; rank < job_.plan.world_size; ++rank)
    if (job_.options.stdin_target == "all" || job_.options.stdin_target == std::to_string(rank)) readers.push_back(rank);
  if (readers.empty()) return;
  input_ = InputWindow(readers);
  stdin_ = std::make_unique<StdinReader>(io_, [this](const std::string& bytes, bool end) { send_input(bytes, end); });
}

void JobRunner::send_input(const std::string& bytes, bool end) {
  control::Envelope message;
  control::Input& input = *message.mutable_input();
  input.set_generation(record_.generation());
  input.set_data(bytes);
  input.set_end(end);
  for (int host : nodes_of(job_.plan)) fleet_->send(host, message);
  input_.sent(bytes.size());
  allow_more_input();
}

void JobRunner::allow_more_input() {
  if (stdin_ && input_.has_room()) stdin_->allow_next();
}

bool JobRunner::ranks_exist() const { return state_ >= JobState::kForming && state_ <= JobState::kEnding; }

std::string JobRunner::host_name(int host) const { return job_.plan.hosts[host].name; }

milliseconds JobRunner::grace() const {
  double limit = job_.options.grace_seconds.value_or(job_.training() ? 30.0 : 1.0);
  if (job_.hosts.slurm) limit = std::min(limit, 28.0);  // Slurm kills 30 s after its TERM
  return milliseconds(static_cast<int64_t>(limit * 1000));
}

void JobRunner::tick() {
  tick_timer_->after(seconds(1), [this] { tick(); });
  if (!collector_ || !job_.training() || state_ != JobState::kRunning) return;
  std::vector<std::string> overdue = collector_->overdue(steady_clock::now(), kFenceLimit);
  if (!overdue.empty()) fail(1, "launcher: ranks do not find each other: " + overdue[0]);
}

}  // namespace ds
