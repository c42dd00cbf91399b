#include "launcher/hang/hang_watch.h"

#include <algorithm>

#include "agent/contract.h"

namespace ds {
namespace {

using std::chrono::seconds;
using Duration = HangWatch::Clock::duration;

constexpr seconds kShortest{10};
constexpr int kStepsPerLimit = 5;        // times the median step
constexpr int64_t kFirstSteps = 5;       // memory, kernels and connections are new
constexpr int kFirstStepsFactor = 10;
constexpr seconds kSetUpLimit{900};      // start, MPI_Init, model, data, checkpoint
constexpr seconds kSlowLimit{300};       // saving, evaluating, the end, a first step, a rank that the kernel holds
constexpr seconds kLateQuestion{3};      // asked every second

}  // namespace

HangWatch::HangWatch(const std::vector<std::string>& host_of_rank, std::optional<Seconds> limit, Clock::time_point now)
    : stands_(host_of_rank.size()),
      moved_at_(host_of_rank.size(), now),
      fixed_(limit),
      steps_(now),
      last_moved_(now),
      last_asked_(now) {
  for (size_t rank = 0; rank < stands_.size(); ++rank) {
    stands_[rank].rank = static_cast<int>(rank);
    stands_[rank].host = host_of_rank[rank];
  }
}

void HangWatch::heard(int rank, const RankSign& sign, Clock::time_point now) {
  if (rank < 0 || rank >= static_cast<int>(stands_.size())) return;
  RankStand& stand = stands_[rank];
  RankSign same = sign;
  same.process_state = stand.sign.process_state;
  const bool stood_still = stand.heard && same == stand.sign;
  if (sign.phase == static_cast<int>(RankPhase::kTraining) && stand.sign.phase < sign.phase && steps_.num_steps() == 0)
    steps_.restart(now);
  stand.sign = sign;
  stand.heard = true;
  if (stood_still) return;
  moved_at_[rank] = last_moved_ = now;
  steps_.completed(sign.step, now);
}

void HangWatch::ended(int rank) {
  if (rank >= 0 && rank < static_cast<int>(stands_.size())) stands_[rank].ended = true;
}

void HangWatch::restart(Clock::time_point now) {
  last_moved_ = now;
  std::fill(moved_at_.begin(), moved_at_.end(), now);
  steps_.restart(now);
}

Duration HangWatch::training_limit() const {
  const auto median = steps_.median();
  if (!median)
    return fixed_ ? std::max<Duration>(kSlowLimit, std::chrono::duration_cast<Duration>(*fixed_)) : kSlowLimit;
  if (fixed_) return std::chrono::duration_cast<Duration>(*fixed_);
  const Duration limit = std::max<Duration>(kShortest, kStepsPerLimit * *median);
  return steps_.num_steps() <= kFirstSteps ? kFirstStepsFactor * limit : limit;
}

Duration HangWatch::limit_of(const RankStand& stand) const {
  Duration limit = training_limit();
  switch (static_cast<RankPhase>(stand.sign.phase)) {
    case RankPhase::kStarted:
    case RankPhase::kWiringUp:
    case RankPhase::kLoading: limit = std::max<Duration>(limit, kSetUpLimit); break;
    case RankPhase::kSaving:
    case RankPhase::kEvaluating:
    case RankPhase::kEnding: limit = std::max<Duration>(limit, kSlowLimit); break;
    case RankPhase::kTraining: break;
  }
  return stand.sign.process_state == 'D' ? std::max<Duration>(limit, kSlowLimit) : limit;
}

Duration HangWatch::limit() const {
  Duration longest{0};
  for (const RankStand& stand : stands_)
    if (!stand.ended) longest = std::max(longest, limit_of(stand));
  return longest;
}

// A person looks at a rank through a debugger, and that takes as long as it takes.
bool HangWatch::debugged() const {
  return std::any_of(stands_.begin(), stands_.end(),
                     [](const RankStand& stand) { return !stand.ended && stand.sign.process_state == 't'; });
}

std::optional<Hang> HangWatch::verdict(Clock::time_point now) {
  const bool late = now - last_asked_ > kLateQuestion;
  last_asked_ = now;
  if (stands_.empty() || told_ || (fixed_ && fixed_->count() <= 0)) return std::nullopt;
  if (late || debugged()) restart(now);
  const bool any_alive =
      std::any_of(stands_.begin(), stands_.end(), [](const RankStand& stand) { return !stand.ended; });
  if (!any_alive || now - last_moved_ <= limit()) return std::nullopt;
  told_ = true;
  std::vector<RankStand> stands = stands_;
  for (RankStand& stand : stands) stand.still_since = Seconds(now - moved_at_[stand.rank]).count();
  return Hang{find_culprits(stands), Seconds(now - last_moved_).count()};
}

}  // namespace ds
