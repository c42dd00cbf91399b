// Whether the launcher itself stood still (stopped, suspended, a busy machine) instead of those it hears nothing from.
// A value on a monotonic clock.
#pragma once

#include <algorithm>
#include <chrono>

namespace ds {

class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  Standstill(Time now, Duration period) : last_(now), period_(period) {}

  // To be called each period. Returns by how much it comes too late, nothing when that is less than a period.
  Duration tick(Time now) {
    late_ = now - last_ - period_;
    last_ = now;
    return late_ > period_ ? late_ : Duration::zero();
  }

  // What runs late may run before the tick that notices it, or after.
  Duration longest(Time now) const { return std::max(now - last_, late_); }

 private:
  Time last_;
  Duration period_, late_{};
};

}  // namespace ds
