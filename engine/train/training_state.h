// Saving and restoring a trainer: which tensors a rank holds, and the state that must agree (engine.md section 7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/checkpoint/checkpoint.h"
#include "engine/train/state_pieces.h"
#include "engine/train/trainer.h"

namespace ds {

// Where a run stands.
struct Position {
  int64_t step = 0, samples = 0, tokens = 0;
};

nlohmann::json describe_state(const Trainer& trainer, const Position& position, const std::string& data_fingerprint);

// Fills the trainer from a checkpoint. parts = all: model shapes, data fingerprint, seed, train_batch_size and optimizer
// type must match (kUsage naming both values). Returns where the run stands (step 0 for parts = weights).
// notes: why the continuation is not bit-identical, if it is not. Collective.
Position restore(Trainer& trainer, const CheckpointReader& reader, const std::string& data_fingerprint,
                 const std::string& parts, std::vector<std::string>& notes);

}  // namespace ds
