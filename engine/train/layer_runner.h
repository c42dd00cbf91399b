// Runs a model's layers on micro-batches: forward, then backward layer by layer, following the plan.
#pragma once

#include <atomic>
#include <cstdint>
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

  // Grows with every action from now on: a step may be long, its actions show that it goes on. Borrowed.
  void count_actions_in(std::atomic<uint64_t>* counter) { counter_ = counter; }

 private:
  void forward(int layer, StepContext& context, bool with_backward);
  void backward(int layer, double seed);
  void count_action() {
    if (counter_) counter_->fetch_add(1, std::memory_order_relaxed);
  }

  const ModelDefinition& model_;
  ParameterStore& store_;
  GradientReducer& gradients_;
  std::vector<Action> training_, evaluation_;
  std::vector<at::Tensor> inputs_, outputs_;  // of each layer, while a backward needs them
  std::atomic<uint64_t>* counter_ = nullptr;
};

}  // namespace ds
