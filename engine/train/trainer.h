// Everything one rank needs to train a language model: built from settings, one optimizer step at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/communicator.h"
#include "engine/config/model_config.h"
#include "engine/config/settings.h"
#include "engine/data/batch_loader.h"
#include "engine/device/compute_device.h"
#include "engine/models/layer.h"
#include "engine/optim/lr_schedule.h"
#include "engine/train/layer_runner.h"
#include "engine/zero/sharded_optimizer.h"

namespace ds {

struct StepResult {
  double loss = 0;  // mean over the counted tokens of the global batch (or of micro-batch means), before the update
  double grad_norm = 0;  // global L2 norm before clipping
  double learning_rate = 0;
  int64_t counted = 0;   // labels that counted, global
  bool skipped = false;  // no label counted: no update
};

class Trainer {
 public:
  // group: the data-parallel group, outlives the trainer; it moves tensors of `device`. Weights are zeros until they are
  // set.
  Trainer(const Settings& settings, const ModelConfig& model, Communicator& group, const ComputeDevice& device = {});

  ParameterStore& store() { return *store_; }
  LayerRunner& runner() { return *runner_; }
  GradientReducer& gradients() { return *gradients_; }
  const ModelDefinition& model() const { return model_; }
  const Settings& settings() const { return settings_; }
  Communicator& group() { return group_; }

  // Number of updates made; set when state is restored.
  int64_t updates() const { return updates_; }
  void set_updates(int64_t updates) { updates_ = updates; }

  // One optimizer step over the global batch number `step` (0-based) of `data`. Collective. Throws kNotFinite, naming
  // the step, before anything is updated.
  StepResult train_step(const BatchLoader& data, int64_t step);

  // Mean loss of up to max_batches batches of `data` in file order (0: all of it). Collective.
  double evaluate(const BatchLoader& data, int64_t max_batches);

 private:
  struct Losses;
  double average(const Losses& losses) const;
  StepContext context_of(const Batch& batch, int64_t step) const;
  void run_micro_steps(const BatchLoader& data, int64_t step, Losses& losses);
  void update(StepResult& result, double scale, int64_t step);

  Settings settings_;
  Communicator& group_;
  ModelDefinition model_;
  std::unique_ptr<ParameterStore> store_;
  std::unique_ptr<GradientReducer> gradients_;
  std::unique_ptr<ShardedOptimizer> optimizer_;
  std::unique_ptr<LayerRunner> runner_;
  std::unique_ptr<LrSchedule> schedule_;
  int64_t updates_ = 0;
};

}  // namespace ds
