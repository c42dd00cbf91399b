// Text from a model: greedy or sampled, token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/offline/offline_model.h"

namespace ds {

struct GenerateOptions {
  int64_t num_tokens = 128;
  double temperature = 1.0;  // 0 = the most likely token
  uint64_t seed = 1234;      // token i is a function of (seed, i) and the logits
};

// Returns the new tokens; calls on_token for each as it comes. When the sequence is longer than the model's positions,
// the oldest tokens are left out. Throws kUsage when a prompt token is outside the vocabulary or the prompt is empty.
std::vector<int64_t> generate(OfflineModel& model, const std::vector<int64_t>& prompt, const GenerateOptions& options,
                              const std::function<void(int64_t)>& on_token = {});

}  // namespace ds
