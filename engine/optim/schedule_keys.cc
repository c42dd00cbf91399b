#include "engine/optim/schedule_keys.h"

#include <map>

namespace ds {

using enum Answer;
using Table = std::map<std::string, std::vector<DsKey>, std::less<>>;

// clang-format off
static std::vector<DsKey> warmup_keys() {
  return {{"warmup_min_lr", "number", "0", ">= 0", kSupported},
          {"warmup_max_lr", "number", "", ">= 0", kSupported},
          {"warmup_num_steps", "integer", "1000", ">= 1", kSupported},
          {"warmup_type", "word", "\"log\"", "log|linear", kSupported},
          {"last_batch_iteration", "integer", "-1", "-1..-1", kAccepted}};
}

static std::vector<DsKey> with_total(std::vector<DsKey> keys) {
  keys.push_back({"total_num_steps", "integer", "", ">= 1", kSupported});
  return keys;
}

static Table make_table() {
  const std::vector<DsKey> warmup_then = {{"warmup_steps", "integer", "0", ">= 0", kSupported},
                                          {"warmup_ratio", "number", "0", "[0, 1]", kSupported}};
  return {
      {"LRRangeTest", {{"lr_range_test_min_lr", "number", "0.001", "> 0", kSupported},
                       {"lr_range_test_step_size", "integer", "2000", ">= 1", kSupported},
                       {"lr_range_test_step_rate", "number", "1.0", ">= 0", kSupported},
                       {"lr_range_test_staircase", "flag", "false", "", kSupported},
                       {"last_batch_iteration", "integer", "-1", "-1..-1", kAccepted}}},
      {"OneCycle", {{"cycle_min_lr", "number", "", ">= 0", kSupported},
                    {"cycle_max_lr", "number", "", ">= 0", kSupported},
                    {"decay_lr_rate", "number", "0", "", kSupported},
                    {"cycle_first_step_size", "integer", "2000", ">= 1", kSupported},
                    {"cycle_second_step_size", "integer", "", ">= 0", kSupported},
                    {"cycle_first_stair_count", "integer", "0", ">= 0", kSupported},
                    {"cycle_second_stair_count", "integer", "", ">= 0", kSupported},
                    {"decay_step_size", "integer", "0", ">= 0", kSupported},
                    {"cycle_momentum", "flag", "true", "", kSupported},
                    {"cycle_min_mom", "number", "0.8", "[0, 1)", kSupported},
                    {"cycle_max_mom", "number", "0.9", "[0, 1)", kSupported},
                    {"decay_mom_rate", "number", "0", "", kSupported},
                    {"last_batch_iteration", "integer", "-1", "-1..-1", kAccepted}}},
      {"WarmupLR", warmup_keys()},
      {"WarmupDecayLR", with_total(warmup_keys())},
      {"WarmupCosineLR", {{"total_num_steps", "integer", "", ">= 1", kSupported},
                          {"warmup_min_ratio", "number", "0", ">= 0", kSupported},
                          {"warmup_num_steps", "integer", "1000", ">= 1", kSupported},
                          {"cos_min_ratio", "number", "0.0001", ">= 0", kSupported},
                          {"warmup_type", "word", "\"log\"", "log|linear", kSupported},
                          {"last_batch_iteration", "integer", "-1", "-1..-1", kAccepted}}},
      {"LinearLR", {{"start_factor", "number", "0.3333333333333333", "(0, 1]", kSupported},
                    {"end_factor", "number", "1.0", "[0, 1]", kSupported},
                    {"total_iters", "integer", "5", ">= 1", kSupported},
                    {"last_epoch", "integer", "-1", "-1..-1", kAccepted}}},
      {"CosineAnnealingLR", {{"T_max", "integer", "", ">= 1", kSupported},
                             {"eta_min", "number", "0", ">= 0", kSupported},
                             {"last_epoch", "integer", "-1", "-1..-1", kAccepted}}},
      {"constant_with_warmup", warmup_then},
      {"linear", warmup_then},
      {"cosine", warmup_then},
  };
}
// clang-format on

static const Table& table() {
  static const Table tables = make_table();
  return tables;
}

const std::vector<DsKey>* schedule_keys(std::string_view type) {
  const auto found = table().find(type);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> schedule_types() {
  std::vector<std::string> types;
  for (const auto& [type, keys] : table()) types.push_back(type);
  return types;
}

const std::vector<std::string>& later_schedule_types() {
  static const std::vector<std::string> types = {
      "LambdaLR",      "MultiplicativeLR",  "StepLR",   "MultiStepLR", "ConstantLR",
      "ExponentialLR", "PolynomialLR",      "CyclicLR", "OneCycleLR",  "CosineAnnealingWarmRestarts",
      "SequentialLR",  "ReduceLROnPlateau", "ChainedScheduler"};
  return types;
}

}  // namespace ds
