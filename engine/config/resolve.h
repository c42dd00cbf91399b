// Everything that train.cfg and the DeepSpeed JSON mean for a number of ranks, with a report of where each value comes
// from: resolve() of train_config.h is this plus an exception. `dstool check` prints it.
#pragma once

#include <string>
#include <vector>

#include "engine/config/findings.h"
#include "engine/config/settings.h"
#include "engine/config/train_config.h"

namespace ds {

struct Resolution {
  Settings settings;  // meaningful only without problems
  Findings findings;  // rows: keys of train.cfg first, then of the DeepSpeed JSON
};

Resolution resolve_with_report(const TrainConfig& config, int world_size);

// What every key became; problems are left to resolve_with_report.
std::vector<ConfigRow> what_became(const TrainConfig& config, int world_size);

// The whole table of DeepSpeed keys: key, default, type and range, answer.
std::vector<ConfigRow> describe_keys();

}  // namespace ds
