#include "engine/optim/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/config/ds_check.h"
#include "engine/config/value_rule.h"
#include "engine/optim/schedule_keys.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// Parameters by name, with the table's defaults.
class Parameters {
 public:
  explicit Parameters(const ScheduleSettings& settings) : settings_(settings) {}

  bool has(std::string_view name) const { return given(name) != nullptr; }
  double number(std::string_view name) const {
    if (const double* value = given(name)) return *value;
    const JsonNode node = fallback(name);
    return node.is(JsonNode::Kind::kFlag) ? node.flag : node.number;
  }
  double number(std::string_view name, double otherwise) const { return has(name) ? number(name) : otherwise; }
  std::string word(std::string_view name) const {
    for (const auto& [key, value] : settings_.words)
      if (key == name) return value;
    return fallback(name).text;
  }

 private:
  const double* given(std::string_view name) const {
    for (const auto& [key, value] : settings_.numbers)
      if (key == name) return &value;
    return nullptr;
  }
  JsonNode fallback(std::string_view name) const {
    for (const auto& key : *schedule_keys(settings_.type))
      if (name == key.path && *key.fallback) return read_json(key.fallback, "default");
    throw Error(ErrorCode::kUsage, settings_.type + ": " + std::string(name) + ": is missing and has no default");
  }

  const ScheduleSettings& settings_;
};

class Constant : public LrSchedule {
 public:
  explicit Constant(double rate) : rate_(rate) {}
  double learning_rate(int64_t) const override { return rate_; }

 private:
  double rate_;
};

class RangeTest : public LrSchedule {
 public:
  explicit RangeTest(const Parameters& p)
      : low_(p.number("lr_range_test_min_lr")),
        step_size_(p.number("lr_range_test_step_size")),
        rate_(p.number("lr_range_test_step_rate")),
        staircase_(p.number("lr_range_test_staircase") != 0) {}

  double learning_rate(int64_t update) const override {
    const double x = static_cast<double>(update) / step_size_;
    return low_ * (1 + rate_ * (staircase_ ? std::floor(x) : x));
  }

 private:
  double low_, step_size_, rate_;
  bool staircase_;
};

// Up and down once, then a decay; beta1 moves the other way. Update 0 is what the constructor sets: both at their
// minimum.
class OneCycle : public LrSchedule {
 public:
  explicit OneCycle(const Parameters& p, bool has_betas)
      : low_(p.number("cycle_min_lr")),
        high_(p.number("cycle_max_lr")),
        decay_rate_(p.number("decay_lr_rate")),
        first_(p.number("cycle_first_step_size")),
        second_(p.number("cycle_second_step_size", first_)),
        first_stairs_(p.number("cycle_first_stair_count")),
        second_stairs_(p.number("cycle_second_stair_count", first_stairs_)),
        decay_steps_(p.number("decay_step_size")),
        momentum_(has_betas && p.number("cycle_momentum") != 0),
        low_beta_(p.number("cycle_min_mom")),
        high_beta_(p.number("cycle_max_mom")),
        beta_decay_(p.number("decay_mom_rate")) {}

  double learning_rate(int64_t update) const override {
    if (update == 0) return low_;
    if (update <= cycle()) return low_ + (high_ - low_) * height(static_cast<double>(update));
    return low_ / (1 + decay_rate_ * decay_intervals(update));
  }
  std::optional<double> beta1(int64_t update) const override {
    if (!momentum_) return std::nullopt;
    if (update == 0) return low_beta_;
    if (update <= cycle()) return high_beta_ - (high_beta_ - low_beta_) * height(static_cast<double>(update));
    return high_beta_ * (1 + beta_decay_ * decay_intervals(update));
  }
  std::optional<double> beta2(int64_t) const override { return momentum_ ? std::optional(0.99) : std::nullopt; }

 private:
  double cycle() const { return first_ + second_; }

  // 0 at both ends of the cycle, 1 at its top.
  double height(double update) const {
    const double place = std::fmod(update, cycle());
    const bool up = place <= first_;
    const double stairs = up ? first_stairs_ : second_stairs_;
    const double length = up ? first_ : second_;
    const double climbed = up ? place : cycle() - place;
    if (stairs > 0) return std::floor(climbed * stairs / length) / stairs;
    return climbed / length;
  }
  double decay_intervals(int64_t update) const {
    return decay_steps_ > 0 ? (static_cast<double>(update) - cycle()) / decay_steps_ : 0;
  }

  double low_, high_, decay_rate_, first_, second_, first_stairs_, second_stairs_, decay_steps_;
  bool momentum_;
  double low_beta_, high_beta_, beta_decay_;
};

// The rising part that WarmupLR, WarmupDecayLR and WarmupCosineLR share. `it` is DeepSpeed's counter: update - 1.
class Warmup {
 public:
  explicit Warmup(const Parameters& p)
      : steps(std::max(2.0, p.number("warmup_num_steps"))), log_(p.word("warmup_type") == "log") {}
  double share(double it) const { return log_ ? std::log(it + 1) / std::log(steps) : it / steps; }
  double steps;

 private:
  bool log_;
};

// WarmupLR and, with a total, WarmupDecayLR.
class WarmupThenDecay : public LrSchedule {
 public:
  WarmupThenDecay(const Parameters& p, double base_rate, std::optional<double> total)
      : warmup_(p), low_(p.number("warmup_min_lr")), high_(p.number("warmup_max_lr", base_rate)), total_(total) {}

  double learning_rate(int64_t update) const override {
    if (update == 0) return low_;
    return low_ + (high_ - low_) * share(static_cast<double>(update - 1));
  }

 private:
  double share(double it) const {
    if (it < warmup_.steps) return warmup_.share(it);
    if (!total_) return 1;
    return std::max(0.0, (*total_ - it) / std::max(1.0, *total_ - warmup_.steps));
  }

  Warmup warmup_;
  double low_, high_;
  std::optional<double> total_;
};

class WarmupCosine : public LrSchedule {
 public:
  WarmupCosine(const Parameters& p, double base_rate, double total)
      : warmup_(p),
        base_(base_rate),
        low_(p.number("warmup_min_ratio")),
        end_(p.number("cos_min_ratio")),
        total_(total) {}

  double learning_rate(int64_t update) const override {
    return update == 0 ? 0 : base_ * ratio(static_cast<double>(update - 1));
  }

 private:
  double ratio(double it) const {
    if (it < warmup_.steps) return low_ + (1 - low_) * warmup_.share(it);
    const double progress = std::min(1.0, (it - warmup_.steps + 1) / std::max(1.0, total_ - warmup_.steps));
    return end_ + (1 - end_) * (1 + std::cos(std::numbers::pi * progress)) / 2;
  }

  Warmup warmup_;
  double base_, low_, end_, total_;
};

class TorchLinear : public LrSchedule {
 public:
  TorchLinear(const Parameters& p, double base_rate)
      : base_(base_rate),
        start_(p.number("start_factor")),
        end_(p.number("end_factor")),
        total_(p.number("total_iters")) {}
  double learning_rate(int64_t update) const override {
    return base_ * (start_ + (end_ - start_) * std::min(total_, static_cast<double>(update)) / total_);
  }

 private:
  double base_, start_, end_, total_;
};

// The closed form; torch's recursion gives the same numbers up to rounding, also beyond T_max.
class TorchCosine : public LrSchedule {
 public:
  TorchCosine(const Parameters& p, double base_rate, double total)
      : base_(base_rate), low_(p.number("eta_min")), period_(p.number("T_max", total)) {}
  double learning_rate(int64_t update) const override {
    const double angle = std::numbers::pi * static_cast<double>(update) / period_;
    return low_ + (base_ - low_) * (1 + std::cos(angle)) / 2;
  }

 private:
  double base_, low_, period_;
};

// transformers' schedules: 0 at update 0, the full rate after the warm-up, 0 after the last update.
class TransformersSchedule : public LrSchedule {
 public:
  TransformersSchedule(const std::string& type, const Parameters& p, double base_rate, double total)
      : type_(type), base_(base_rate), total_(total) {
    warmup_ = p.number("warmup_steps");
    if (warmup_ == 0) warmup_ = std::ceil(total * p.number("warmup_ratio"));
  }
  double learning_rate(int64_t update) const override {
    const double now = static_cast<double>(update);
    if (now < warmup_) return base_ * now / std::max(1.0, warmup_);
    if (type_ == "constant_with_warmup") return base_;
    const double rest = std::max(1.0, total_ - warmup_);
    if (type_ == "linear") return base_ * std::max(0.0, (total_ - now) / rest);
    return base_ * std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * (now - warmup_) / rest)));
  }

 private:
  std::string type_;
  double base_, total_, warmup_ = 0;
};

}  // namespace

std::unique_ptr<LrSchedule> make_lr_schedule(const ScheduleSettings& settings, const OptimizerSettings& optimizer,
                                             int64_t total_steps) {
  const double base = optimizer.learning_rate;
  if (settings.type.empty()) return std::make_unique<Constant>(base);
  throw_if_any("", schedule_problems(settings));
  const Parameters p(settings);
  const double total = p.number("total_num_steps", static_cast<double>(total_steps));
  const std::string& type = settings.type;
  if (type == "LRRangeTest") return std::make_unique<RangeTest>(p);
  if (type == "OneCycle") return std::make_unique<OneCycle>(p, optimizer.type != OptimizerSettings::Type::kSgd);
  if (type == "WarmupLR") return std::make_unique<WarmupThenDecay>(p, base, std::nullopt);
  if (type == "WarmupDecayLR") return std::make_unique<WarmupThenDecay>(p, base, total);
  if (type == "WarmupCosineLR") return std::make_unique<WarmupCosine>(p, base, total);
  if (type == "LinearLR") return std::make_unique<TorchLinear>(p, base);
  if (type == "CosineAnnealingLR") return std::make_unique<TorchCosine>(p, base, total);
  return std::make_unique<TransformersSchedule>(type, p, base, total);
}

std::vector<std::string> schedule_problems(const ScheduleSettings& settings) {
  if (settings.type.empty()) return {};
  const auto* keys = schedule_keys(settings.type);
  if (keys == nullptr) return {"scheduler.type=" + settings.type + ": must be one of " + join(schedule_types(), ", ")};
  std::vector<std::string> problems;
  const auto check = [&](const std::string& name, auto good, const std::string& text) {
    for (const auto& key : *keys)
      if (name == key.path) {
        if (!good(key)) problems.push_back(settings.type + "." + name + "=" + text + ": " + in_words(key.allowed));
        return;
      }
    problems.push_back(settings.type + "." + name + ": unknown parameter");
  };
  for (const auto& [name, value] : settings.numbers)
    check(name, [&, v = value](const DsKey& key) { return std::isfinite(v) && in_range(key.allowed, v); },
          std::to_string(value));
  for (const auto& [name, value] : settings.words)
    check(name, [&, v = value](const DsKey& key) { return value_problem("word", key.allowed, v).empty(); }, value);
  for (const char* needed : {"cycle_min_lr", "cycle_max_lr"}) {
    const auto given = [&](const auto& pair) { return pair.first == needed; };
    if (settings.type == "OneCycle" && std::none_of(settings.numbers.begin(), settings.numbers.end(), given))
      problems.push_back(settings.type + "." + needed + ": is missing and has no default");
  }
  return problems;
}

}  // namespace ds
