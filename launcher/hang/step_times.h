// How long the last steps of a generation took, as the launcher saw them go by.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace ds {

class StepTimes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kKept = 50;

  explicit StepTimes(Clock::time_point start = {}) : since_(start) {}

  // A rank has completed `step`. The first one heard of counts as one step, whatever its number: a job may resume there.
  void completed(int64_t step, Clock::time_point now) {
    if (step <= step_) return;
    const int64_t steps = num_ == 0 ? 1 : step - step_;
    for (int64_t i = 0; i < std::min<int64_t>(steps, kKept); ++i) times_.push_back((now - since_) / steps);
    while (times_.size() > kKept) times_.pop_front();
    num_ += steps;
    step_ = step;
    since_ = now;
  }
  // Time that no step took: the launcher stood still, or ranks waited for a reader.
  void restart(Clock::time_point now) { since_ = now; }

  int64_t num_steps() const { return num_; }
  std::optional<Clock::duration> median() const {
    if (times_.empty()) return std::nullopt;
    std::vector<Clock::duration> sorted(times_.begin(), times_.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  Clock::time_point since_;
  std::deque<Clock::duration> times_;
  int64_t step_ = 0, num_ = 0;
};

}  // namespace ds
