#include "launcher/hang/hang_report.h"

#include "agent/proto/control.pb.h"
#include "launcher/plan/job.h"
#include "topology/base/text.h"

namespace ds {
namespace {

std::string host_of(const Job& job, int rank) { return job.plan.hosts[job.plan.ranks[rank].host].name; }

}  // namespace

HangWatch hang_watch_of(const Job& job, std::chrono::steady_clock::time_point now) {
  if (!job.training() || !job.config) return {};
  std::vector<std::string> hosts;
  for (int rank = 0; rank < job.plan.world_size; ++rank) hosts.push_back(host_of(job, rank));
  const std::optional<double> limit = parse_double(job.config->text("job.hang_seconds"));  // none: "auto", or left out
  return {hosts, limit ? std::optional(HangWatch::Seconds(*limit)) : std::nullopt, now};
}

RankSign sign_of(const control::Progress& progress) {
  RankSign sign;
  sign.phase = static_cast<int>(progress.phase());
  sign.step = progress.step();
  sign.beat = progress.beat();
  sign.io_megabytes = progress.io_megabytes();
  sign.entered = progress.collectives_entered();
  sign.done = progress.collectives_done();
  sign.process_state = static_cast<char>(progress.process_state());
  return sign;
}

std::string hang_text(const Hang& hang) {
  return "the job hangs: nothing has moved on any rank for " + std::to_string(static_cast<long long>(hang.seconds)) +
         " s: " + hang.culprits.reason;
}

Event hang_event(const Hang& hang, const Job& job) {
  Event event{"hang_detected"};
  if (!hang.culprits.ranks.empty()) {
    event.rank = hang.culprits.ranks[0];
    event.host = host_of(job, *event.rank);
  }
  event.seconds = hang.seconds;
  event.reason = hang.culprits.reason;
  return event;
}

Verdict hang_verdict(const Hang& hang, const Job& job) {
  Verdict verdict;
  verdict.exit_code = kExitHang;
  verdict.error = hang_text(hang);
  verdict.advice =
      "Where the ranks stood is in their logs. If the job was only slow: --job.hang_seconds N, 0 = wait for ever.";
  if (hang.culprits.ranks.empty()) return verdict;
  verdict.rank = hang.culprits.ranks[0];
  verdict.host = host_of(job, *verdict.rank);
  return verdict;
}

}  // namespace ds
