// A whole model on one rank, outside training: for export and text generation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/config/model_config.h"

namespace ds {

class ParameterStore;

class OfflineModel {
 public:
  // folder: a Hugging Face folder (config.json and safetensors), a checkpoint step folder, a `checkpoints` folder or an
  // output folder. fp32. Throws as the readers do.
  explicit OfflineModel(const std::string& folder);
  ~OfflineModel();

  const ModelConfig& config() const;
  ParameterStore& store();
  // tokens: ids of one sequence, at most max_positions. fp32 logits [length, vocabulary].
  at::Tensor logits(const std::vector<int64_t>& tokens);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ds
