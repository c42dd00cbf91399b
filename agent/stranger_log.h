// What is told about connections that were refused: who, at once, and never so much that it floods the log itself. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace ds {

class StrangerLog {
 public:
  using Clock = std::chrono::steady_clock;

  // A line for the log, or "" when this refusal is only counted: each host gets a line for its first one in a period,
  // and at most kLines hosts do. `host`: without port; `peer`: with it, for the line.
  std::string refused(const std::string& host, const std::string& peer, const std::string& reason,
                      Clock::time_point now);

  // When the period ends; nullopt while nothing was refused.
  std::optional<Clock::time_point> period_end() const { return end_; }
  // Ends the period: one line about those that were only counted, or "". The next period is twice as long, up to an
  // hour, when somebody was; else the next refusal starts a short one.
  std::string end_period(Clock::time_point now);

  static constexpr size_t kLines = 5;
  static constexpr size_t kHosts = 100;  // more than these are counted together
  static constexpr std::chrono::seconds kShortest{60}, kLongest{3600};

 private:
  std::string counted_text() const;

  std::map<std::string, size_t> counted_;  // host -> refusals without a line
  size_t lines_ = 0, counted_elsewhere_ = 0;
  std::chrono::seconds length_ = kShortest;
  std::optional<Clock::time_point> end_;
};

}  // namespace ds
