// Whether a training job still moves. False alarms are worse than late ones: anything that moves on any rank is a sign of
// life, and what is not known gets more time. docs/hangs.md has the limits and their reasons. Pure: time is passed in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang/hang_culprit.h"
#include "launcher/hang/step_times.h"

namespace ds {

struct Hang {
  Culprits culprits;
  double seconds = 0;  // since anything moved
};

class HangWatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  HangWatch() = default;  // watches nobody
  // `host_of_rank`: names by rank. `limit`: job.hang_seconds; nullopt = from the times of the steps, 0 = never.
  HangWatch(const std::vector<std::string>& host_of_rank, std::optional<Seconds> limit, Clock::time_point now);

  void heard(int rank, const RankSign& sign, Clock::time_point now);
  void ended(int rank);
  // Standing still was no fault of the ranks: their time starts again.
  void restart(Clock::time_point now);

  // To be asked every second; once it has answered it says no more. A question that comes 2 s late restarts the watch:
  // this process stood still itself and has not heard what was said meanwhile.
  std::optional<Hang> verdict(Clock::time_point now);
  bool told() const { return told_; }

  Clock::duration limit() const;  // how long nothing may move, as things are

 private:
  Clock::duration limit_of(const RankStand& stand) const;
  Clock::duration training_limit() const;
  bool debugged() const;

  std::vector<RankStand> stands_;
  std::vector<Clock::time_point> moved_at_;
  std::optional<Seconds> fixed_;
  StepTimes steps_;
  Clock::time_point last_moved_, last_asked_;
  bool told_ = false;
};

}  // namespace ds
