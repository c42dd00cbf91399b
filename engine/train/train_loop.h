// A whole run of one rank: load, train, log, evaluate, save, end.
#pragma once

#include "collectives/communicator.h"
#include "engine/config/settings.h"
#include "engine/device/compute_device.h"
#include "engine/train/rank_report.h"

namespace ds {

struct RunContext {
  Communicator* world = nullptr;
  RankReport* report = nullptr;
  int64_t generation = 1;  // for metrics.csv
  ComputeDevice device{};
};

// Returns the exit code: 0 done, 75 saved on request, 128 + signal stopped. Throws Error. Collective.
int run_training(const Settings& settings, const RunContext& context);

}  // namespace ds
