// A tiny language model, its settings and its data, small enough to train in milliseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/config/model_config.h"
#include "engine/config/settings.h"
#include "engine/data/batch_loader.h"

namespace ds::tiny {

ModelConfig gpt2();   // tied embeddings, 2 layers
ModelConfig llama();  // GQA, untied, 2 layers

struct Run {
  int stage = 0;
  int world = 1;
  Precision precision = Precision::kFloat32;
  int64_t accumulation = 1;
  bool shuffle = false;
  double dropout = 0;  // sets the model's dropouts (gpt2)
};
// train_batch_size is 12 for every world that divides it.
Settings settings(const Run& run);
// Pseudo-random tokens with some structure, so that there is something to learn.
std::unique_ptr<BatchLoader> data(const Settings& settings, int64_t vocab_size);

}  // namespace ds::tiny
