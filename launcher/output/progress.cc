#include "launcher/output/progress.h"

#include <cmath>
#include <cstdio>

#include "agent/contract.h"

namespace ds {
namespace {

std::string format(const char* pattern, double value) {
  char text[64];
  return std::string(text, std::snprintf(text, sizeof text, pattern, value));
}

const char* phase_name(int phase) {
  switch (static_cast<RankPhase>(phase)) {
    case RankPhase::kStarted: return "starting";
    case RankPhase::kWiringUp: return "wiring up";
    case RankPhase::kLoading: return "loading";
    case RankPhase::kTraining: return "training";
    case RankPhase::kSaving: return "saving";
    case RankPhase::kEvaluating: return "evaluating";
    case RankPhase::kEnding: return "ending";
  }
  return "";
}

constexpr double kLeastTime = 0.1;  // seconds from which an estimate can be made: reports may come in a heap

}  // namespace

ProgressStyle progress_style(const std::string& option, bool stdout_is_terminal) {
  if (option == "none") return ProgressStyle::kNone;
  if (option == "plain") return ProgressStyle::kPlain;
  if (option == "bar") return ProgressStyle::kBar;
  return stdout_is_terminal ? ProgressStyle::kBar : ProgressStyle::kPlain;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value >= 1e6) return format("%.2fM", value / 1e6);
  if (value >= 1e4) return format("%.1fk", value / 1e3);
  return format("%.0f", value);
}

std::string short_duration(double seconds) {
  auto s = static_cast<long long>(std::llround(seconds));
  char text[64];
  if (s >= 3600)
    return std::string(text, std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60));
  return std::string(text, std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60));
}

void Progress::start_generation(int generation, Clock::time_point now) {
  generation_ = generation;
  shown_ = {};
  heard_ = stepped_ = false;
  last_logged_ = -1;
  first_at_ = now;
}

std::string Progress::take(const RankProgress& report, Clock::time_point now) {
  if (report.checkpoint_step > checkpoint_step_) checkpoint_step_ = report.checkpoint_step;
  if (heard_ && report.rank > shown_.rank) return "";
  bool other_rank = !heard_ || report.rank != shown_.rank;
  bool advanced = report.step > shown_.step && !other_rank;
  shown_ = report;
  heard_ = true;
  if (other_rank && !stepped_) {
    first_step_ = report.step;
    first_at_ = now;
  }
  if (report.step > 0 && report.phase >= static_cast<int>(RankPhase::kTraining)) stepped_ = true;
  if (style_ == ProgressStyle::kNone || report.total_steps <= 0) return "";
  if (style_ == ProgressStyle::kBar) return line(now);
  int64_t every = log_every_ > 0 ? log_every_ : 1;
  bool first = last_logged_ < 0;
  bool due = first || report.step / every > last_logged_ / every || report.step == report.total_steps;
  if (report.step <= 0 || !(advanced || first) || !due || report.step == last_logged_) return "";
  last_logged_ = report.step;
  return line(now);
}

double Progress::seconds_left(Clock::time_point now) const {
  double passed = std::chrono::duration<double>(now - first_at_).count();
  int64_t done = shown_.step - first_step_;
  if (done <= 0 || passed < kLeastTime) return -1;
  return passed / static_cast<double>(done) * static_cast<double>(shown_.total_steps - shown_.step);
}

std::string Progress::line(Clock::time_point now) const {
  std::string text = "step " + std::to_string(shown_.step) + "/" + std::to_string(shown_.total_steps);
  if (shown_.step > 0) text += "  loss " + format("%.4f", shown_.loss);
  if (shown_.tokens_per_second > 0) text += "  " + short_number(shown_.tokens_per_second) + " tokens/s";
  double left = seconds_left(now);
  if (left >= 0 && shown_.step < shown_.total_steps) text += "  " + short_duration(left) + " left";
  text += "  " + std::to_string(ranks_) + (ranks_ == 1 ? " rank" : " ranks");
  if (generation_ > 0) text += "  generation " + std::to_string(generation_);
  if (shown_.phase != static_cast<int>(RankPhase::kTraining)) text += std::string("  ") + phase_name(shown_.phase);
  return text;
}

}  // namespace ds
