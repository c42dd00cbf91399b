// What agents say while a job runs, and what is lost of them.
#include <boost/asio/io_context.hpp>
#include <csignal>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/oom_kills.h"
#include "agent/proto/control.pb.h"
#include "launcher/control/agent_fleet.h"
#include "launcher/control/collector.h"
#include "launcher/hang/hang_report.h"
#include "launcher/output/console.h"
#include "launcher/output/event_log.h"
#include "launcher/plan/host_description.h"
#include "launcher/plan/job.h"
#include "launcher/records/job_record.h"
#include "launcher/job/job_runner.h"
#include "launcher/job/rank_streams.h"
#include "launcher/control/start_message.h"
#include "launcher/output/terminal_writer.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/base/wall_clock.h"

namespace ds {
namespace {

using std::chrono::steady_clock;

RankEnd end_of(const control::RankExited& exited, const std::string& host) {
  RankEnd end;
  end.rank = static_cast<int>(exited.rank());
  end.host = host;
  end.pid = static_cast<int>(exited.pid());
  end.exit_code = exited.exit_code();
  end.signal = exited.signal();
  end.connected = exited.connected();
  end.finalized = exited.finalized();
  end.links_mpi = exited.links_mpi();
  end.start_error = exited.start_error();
  end.host_fault = exited.host_fault();
  end.message = exited.message();
  end.out_of_memory = exited.out_of_memory();
  end.time_ns = exited.time_ns();
  return end;
}

}  // namespace

void JobRunner::take(int host, const control::Envelope& message) {
  int generation = record_.generation();
  auto current = [generation](const auto& body) { return static_cast<int>(body.generation()) == generation; };
  switch (message.body_case()) {
    case control::Envelope::kHostReport:
    case control::Envelope::kPathReport: return take_report(host, message);
    case control::Envelope::kStarted:
      if (!current(message.started())) return;
      for (const control::StartedRank& rank : message.started().ranks())
        ranks_.rank_started(static_cast<int>(rank.rank()), static_cast<int>(rank.pid()));
      ranks_.host_started(host);
      return pump();
    case control::Envelope::kOutput:
      if (current(message.output())) streams_->take(host, message.output());
      return;
    case control::Envelope::kExited:
      if (current(message.exited())) take_exit(host, message.exited());
      return;
    case control::Envelope::kInputTaken:
      if (current(message.input_taken())) streams_->take(message.input_taken());
      return;
    case control::Envelope::kAborted:
      if (!current(message.aborted())) return;
      return fail(judge_abort(static_cast<int>(message.aborted().rank()), host_name(host), message.aborted().status(),
                              message.aborted().message()));
    case control::Envelope::kEnded:
      if (!current(message.ended())) return;
      ranks_.host_ended(host);
      if (!message.ended().problem().empty()) {
        if (setback_ || regrouping_) return fleet_->give_up(host, message.ended().problem());
        if (!verdict_) fail(kExitHostLost, message.ended().problem(), host_name(host));
        else console_.note(host_name(host) + ": " + message.ended().problem());
      }
      return pump();
    case control::Envelope::kProgress: return take_progress(host, message);
    case control::Envelope::kFailed: return agent_failed(host, message.failed());
    default:
      if (collector_) collector_->take(message, steady_clock::now());
  }
}

// A host where agents or rank servers fail is no reason for other hosts to stop, if the job may go on without it.
void JobRunner::agent_failed(int host, const control::AgentFailed& failed) {
  const bool asked_wrongly = failed.exit_code() == exit_status(ErrorCode::kUsage);
  if (idle_here(host) || (job_.elastic.shrinks && !ranks_exist() && !asked_wrongly))
    return fleet_->give_up(host, failed.reason());
  Verdict verdict;
  verdict.exit_code = failed.exit_code() ? failed.exit_code() : kExitHostLost;
  verdict.error = "agent on " + host_name(host) + ": " + failed.reason();
  verdict.host = host_name(host);
  verdict.host_fault = failed.host_fault();
  if (failed.out_of_memory()) blame_memory(verdict);
  fail(std::move(verdict));
}

void JobRunner::take_report(int host, const control::Envelope& message) {
  if (members().returning(host)) return take_report_of_returning(host, message);
  if (message.has_host_report() && state_ == JobState::kDescribing) {
    const control::HostReport& report = message.host_report();
    take_hardware(job_.hosts.cluster.hosts[host], host_of_report(report));
    reported_[host] = true;
    const std::optional<int> twin = reports_.add(host, report);
    if (twin && !job_.hosts.slurm)
      return fail(
          2,
          host_name(*twin) + " and " + host_name(host) + " are one machine: name it once, with slots for all its ranks",
          host_name(host));
  }
  if (message.has_path_report() && state_ == JobState::kChecking) {
    for (const std::string& problem : message.path_report().problems())
      path_problems_.push_back(host_name(host) + ": " + problem);
    reported_[host] = true;
    if (ready() && !path_problems_.empty())
      return fail(2, "output, model and data must be visible under the same path on every host\n" +
                         join(path_problems_, "\n"), host_name(host));
  }
  pump();
}

void JobRunner::take_exit(int host, const control::RankExited& exited) {
  int rank = static_cast<int>(exited.rank());
  if (!ranks_.knows(rank) || !ranks_.rank_ended(rank)) return;
  streams_->rank_ended(rank);
  hang_.ended(rank);
  RankEnd end = end_of(exited, host_name(host));
  if (end.pid == 0) end.pid = ranks_.pid_of(rank);
  Event event{"rank_exited"};
  event.host = end.host;
  event.rank = rank;
  event.pid = end.pid;
  event.exit_code = end.exit_code;
  if (end.signal) event.signal = end.signal;
  event.reason = end.start_error.empty() ? end.message : end.start_error;
  record_.write(event);
  bool asked = (stopping_ || regrouping_) && (!job_.training() || is_gentle_end(end));
  std::optional<Verdict> verdict =
      asked ? std::nullopt : judge(end, job_.plan.world_size, job_.options.wireup == "pmix");
  if (verdict) fail(*verdict);
  pump();
}

void JobRunner::take_progress(int, const control::Envelope& message) {
  const control::Progress& body = message.progress();
  if (static_cast<int>(body.generation()) != record_.generation() || !progress_) return;
  RankProgress report{static_cast<int>(body.rank()),
                      body.step(),
                      body.total_steps(),
                      body.checkpoint_step(),
                      body.loss(),
                      body.tokens_per_second(),
                      body.eval_loss(),
                      static_cast<int>(body.phase())};
  auto now = steady_clock::now();
  hang_.heard(report.rank, sign_of(body), now);
  std::string line = progress_->take(report, now);
  if (!line.empty() && progress_->style() == ProgressStyle::kBar) console_.bar(line);
  else if (!line.empty() && !console_.writer().is_full()) console_.out(line + "\n");
  if (progress_->has_step() && !first_step_told_) {
    first_step_told_ = true;
    const auto began = generations_ > 1 ? generation_began_ : started_;
    Event event{"first_step"};
    event.step = progress_->step();
    event.seconds = std::chrono::duration<double>(now - began).count();
    hand_over(true);
    record_.write(event);
  }
  if (progress_->checkpoint_step() > checkpoint_told_) {
    checkpoint_told_ = progress_->checkpoint_step();
    Event event{"checkpoint_committed"};
    event.step = checkpoint_told_;
    record_.write(event);
  }
  if (now - last_saved_ < std::chrono::seconds(1)) return;
  last_saved_ = now;
  record_.set_step(progress_->step());
}

void JobRunner::fail(Verdict verdict) {
  if (!verdict.noticed_ns) verdict.noticed_ns = wall_clock_ns();
  if (goes_on_after(verdict)) return setback(std::move(verdict));
  bool replaces = verdict_ && !stopping_ && happened_before(verdict, *verdict_);
  bool breaks_stop = stopping_ && verdict_ && state_ == JobState::kStopping;
  if (verdict_ && !replaces && !breaks_stop) return;
  verdict_ = std::move(verdict);
  stopping_ = false;
  console_.detail(verdict_->error);
  streams_->first_failure(*verdict_);
  step(JobEvent::kFailed);
  pump();
}

void JobRunner::fail(int exit_code, const std::string& error, const std::string& host) {
  Verdict verdict;
  verdict.exit_code = exit_code;
  verdict.error = error;
  verdict.host = host;
  fail(std::move(verdict));
}

void JobRunner::host_lost(int host, const std::string& cause) {
  Event event{"host_lost"};
  event.host = host_name(host);
  event.reason = cause;
  record_.write(event);
  if (job_.elastic.restarts) return host_gone(host, cause);
  if (ranks_exist()) ranks_.host_ended(host);
  fail(kExitHostLost, "host lost: " + host_name(host) + ": " + cause, host_name(host));
  pump();
}

// Later than host_lost: what cleans up after the agent there tells it.
void JobRunner::memory_ran_out(int host) {
  Event event{"memory_ran_out"};
  event.host = host_name(host);
  event.reason = kMemoryRanOut;
  record_.write(event);
  for (std::optional<Verdict>* told : {&verdict_, &setback_})
    if (*told && (*told)->host == host_name(host) && !(*told)->rank) return blame_memory(**told);
  console_.note(host_name(host) + ": " + kMemoryRanOut);
}

void JobRunner::agents_late(const std::vector<std::string>& hosts, bool given_up) {
  const std::string them = hosts.size() == 1 ? "it" : "them";
  console_.note("no answer in " + std::to_string(fleet_options(job_).start.each.count() / 1000) + " s: " +
                join(hosts, ", ") + ": " +
                (given_up ? "given up; others are still on their way"
                          : "waiting for " + them + " as long as agents of other hosts still come"));
}

void JobRunner::unreachable(const std::vector<ReachFailure>& failures, bool version) {
  std::string host = failures.empty() ? "" : failures[0].host;
  if (job_.elastic.shrinks && !version && failures.size() < members().size()) return begin_without(failures);
  fail(version ? 2 : kExitTryLater, "hosts could not be reached\n" + describe_reach_failures(failures), host);
}

}  // namespace ds
