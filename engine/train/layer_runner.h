// Runs a model's layers on micro-batches: forward, then backward layer by layer, following the plan.
#pragma once

#include <vector>

#include "engine/models/layer.h"
#include "engine/train/layer_plan.h"
#include "engine/zero/gradient_reducer.h"
#include "engine/zero/parameter_store.h"

namespace ds {

class LayerRunner {
 public:
  LayerRunner(const ModelDefinition& model, ParameterStore& store, GradientReducer& gradients);

  // Forward and backward of one micro-batch. The gradients of (loss sum x seed) are added to the reducer; the context
  // holds the row losses. Collective at stages 2 and 3.
  void train(StepContext& context, double seed);
  // Forward alone: row losses, or logits without labels. Collective at stage 3.
  void evaluate(StepContext& context);

  const std::vector<Action>& plan() const { return training_; }

 private:
  void forward(int layer, StepContext& context, bool with_backward);
  void backward(int layer, double seed);

  const ModelDefinition& model_;
  ParameterStore& store_;
  GradientReducer& gradients_;
  std::vector<Action> training_, evaluation_;
  std::vector<at::Tensor> inputs_, outputs_;  // of each layer, while a backward needs them
};

}  // namespace ds
