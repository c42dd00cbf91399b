// What a training job shows while it runs: one refreshed line on a terminal, plain lines every log_every steps else.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace ds {

enum class ProgressStyle { kNone, kPlain, kBar };

// "auto" = bar on a terminal, else plain.
ProgressStyle progress_style(const std::string& option, bool stdout_is_terminal);

// One rank's numbers as its agent reported them.
struct RankProgress {
  int rank = 0;
  int64_t step = 0, total_steps = 0, checkpoint_step = -1;
  double loss = 0, tokens_per_second = 0, eval_loss = 0;
  int phase = 0;  // RankPhase of agent/contract.h
};

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  Progress(ProgressStyle style, int64_t log_every, int ranks) : style_(style), log_every_(log_every), ranks_(ranks) {}

  void start_generation(int generation, Clock::time_point now);
  // The text to show now, "" = nothing: for kBar the whole line, for kPlain a line when `log_every` steps passed.
  std::string take(const RankProgress& report, Clock::time_point now);

  ProgressStyle style() const { return style_; }
  int64_t step() const { return shown_.step; }
  int64_t checkpoint_step() const { return checkpoint_step_; }
  bool has_step() const { return stepped_; }  // a step of this generation was completed

 private:
  std::string line(Clock::time_point now) const;
  double seconds_left(Clock::time_point now) const;

  ProgressStyle style_;
  int64_t log_every_;
  int ranks_;
  int generation_ = 0;
  RankProgress shown_;  // of the lowest rank heard of
  bool heard_ = false, stepped_ = false;
  int64_t first_step_ = 0, last_logged_ = -1, checkpoint_step_ = -1;
  Clock::time_point first_at_{};
};

std::string short_number(double value);   // 12345 -> "12.3k"
std::string short_duration(double seconds);  // 83 -> "1:23"

}  // namespace ds
