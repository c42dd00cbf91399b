// A golden training case: where it is, what it must give, and what we give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/core/device_ranks.h"

namespace ds::golden {

struct Row {
  double loss = 0, lr = 0;
  std::optional<double> grad_norm, grad_norm_torch, loss_torch;
};

struct Case {
  std::string name;
  std::filesystem::path model, data, ds_config;
  int world = 1;
  int64_t steps = 0, sequence_length = 32;
  bool bf16 = false;
  std::vector<Row> expected;
};

struct Measured {
  double loss = 0, grad_norm = 0, lr = 0;
};

// Trains the case with ranks as threads. extra: lines appended to train.cfg; overrides: "section.key" values.
std::vector<Measured> train(const Case& golden, const std::vector<std::pair<std::string, std::string>>& overrides = {},
                            const DevicePlacer& place = on_cpu);

// All cases of golden/train whose features this version has.
std::vector<Case> shared_cases(const std::filesystem::path& golden);

}  // namespace ds::golden
