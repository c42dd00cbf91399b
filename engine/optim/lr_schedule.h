// Learning rate (and beta1) of each update: DeepSpeed's five schedules (deepspeed.md 3.9) and torch's cosine and linear.
// Pure values; no state but the parameters, so resuming needs nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/settings.h"

namespace ds {

class LrSchedule {
 public:
  virtual ~LrSchedule() = default;
  virtual double learning_rate(int64_t update) const = 0;  // update: 0-based number of the applied optimizer step
  virtual std::optional<double> beta1(int64_t) const { return std::nullopt; }  // only OneCycle moves it
  virtual std::optional<double> beta2(int64_t) const { return std::nullopt; }  // OneCycle sets 0.99
};

// total_steps: of the run, for schedules that need a total and were given none.
std::unique_ptr<LrSchedule> make_lr_schedule(const ScheduleSettings& settings, const OptimizerSettings& optimizer,
                                             int64_t total_steps);
// Problems of a schedule's parameters, each naming the key; empty = good.
std::vector<std::string> schedule_problems(const ScheduleSettings& settings);

}  // namespace ds
