// The configuration of a generation after the first: the same batch whatever the number of ranks, and its start where the
// job's own checkpoints are.
#pragma once

#include <string>

#include "engine/config/train_config.h"

namespace ds {

// Whether the user gave the micro-batch; else it follows from other sizes.
bool chooses_micro_batch(const TrainConfig& config);

// `train_batch`: of the first generation; the accumulation follows from the ranks. `output`: the job's folder: what
// checkpoint.resume said holds until a checkpoint of its own is there. Reads checkpoints/latest.
TrainConfig restart_config(const TrainConfig& config, int64_t train_batch, int64_t micro_batch,
                           const std::string& output);

}  // namespace ds
