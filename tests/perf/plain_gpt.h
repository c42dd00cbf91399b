// The yardstick of train_bench: a GPT as one would write it by hand with libtorch, with the same kernels as ours (flash
// attention, fused AdamW) and nothing else: no units, no arenas, no communication.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/config/model_config.h"

namespace ds {

class PlainGpt {
 public:
  // dtype: of weights and activations; 16-bit has fp32 masters.
  PlainGpt(const ModelConfig& config, c10::ScalarType dtype, uint64_t seed);

  // Forward, backward, clipping to norm 1 and AdamW over the batch in micro-batches of `micro` rows. Returns the mean loss.
  double step(const at::Tensor& tokens, const at::Tensor& labels, int64_t micro);

 private:
  at::Tensor loss_sum(const at::Tensor& tokens, const at::Tensor& labels) const;
  void update(double scale);

  ModelConfig config_;
  std::vector<at::Tensor> weights_, masters_, exp_avg_, exp_avg_sq_;
  int64_t steps_ = 0;
};

}  // namespace ds
