// The C++ library: train any torch::nn::Module under ZeRO 0-3 from a DeepSpeed JSON.
//
//   ds::World world = ds::world_from_environment();
//   auto engine = ds::initialize(module, ds::load_config("ds_config.json"), world);
//   auto loss = engine.forward(inputs, labels);   // whatever module->forward takes and returns
//   engine.backward(loss);                        // a scalar; the mean over the micro-batch, as DeepSpeed expects
//   engine.step();                                // updates on accumulation boundaries
//
// Ranks must build the same module and call the engine in the same order. The weights are those of rank 0's module.
// All calls that use the module are collective under stage 3; backward under stages 2 and 3; step and checkpoints
// always. They block. Errors are ds::Error.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <ATen/core/Tensor.h>

#include "collectives/communicator.h"
#include "engine/config/settings.h"

namespace torch::nn {
class Module;
}

namespace ds {

class MpiSession;
class ParameterStore;
class GradientReducer;

// MPI, if this process is a rank, and the communicator of all ranks.
struct World {
  std::shared_ptr<MpiSession> mpi;
  std::shared_ptr<Communicator> ranks;
};
World world_from_environment();

// A DeepSpeed JSON for use with `initialize`: the same strict rules as in train.cfg jobs; kUsage lists all problems.
struct EngineConfig {
  std::string text, path;
};
EngineConfig load_config(const std::string& path);

class ModuleEngine {
 public:
  ModuleEngine(torch::nn::Module& module, const EngineConfig& config, std::shared_ptr<Communicator> ranks);
  ~ModuleEngine();
  ModuleEngine(ModuleEngine&&) noexcept;

  void backward(const at::Tensor& loss);
  void step();

  bool is_accumulation_boundary() const;  // the next step() updates
  double gradient_norm() const;           // of the last update, before clipping
  double learning_rate() const;           // of the next update
  int64_t global_steps() const;

  // Writes dir/step<n>, n = updates made, or the folder that tag "step<n>" names, and dir/latest. Call it at a boundary:
  // gradients of an unfinished accumulation are not saved.
  void save_checkpoint(const std::string& dir, const std::string& tag = "");
  // dir: a step folder or a folder with `latest`; saved under any stage at any number of ranks.
  void load_checkpoint(const std::string& dir);

  // Full fp32 values of a parameter by name, on every rank. Collective.
  at::Tensor gather_full(const std::string& name);

  const Settings& settings() const;
  ParameterStore& store();
  GradientReducer& gradients();

 protected:
  // Brackets a forward: operators inside gather what they use. Rethrows the cause of a failed gather.
  template <typename Call>
  auto guarded(Call&& call) {
    begin_forward();
    try {
      return call();
    } catch (...) {
      rethrow_cause();
      throw;
    }
  }

 private:
  void begin_forward();
  void rethrow_cause();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename Module>
class Engine : public ModuleEngine {
 public:
  Engine(std::shared_ptr<Module> module, const EngineConfig& config, std::shared_ptr<Communicator> ranks)
      : ModuleEngine(*module, config, std::move(ranks)), module_(std::move(module)) {}

  template <typename... Arguments>
  auto forward(Arguments&&... arguments) {
    return guarded([&] { return module_->forward(std::forward<Arguments>(arguments)...); });
  }
  Module& module() { return *module_; }

 private:
  std::shared_ptr<Module> module_;
};

template <typename Module>
Engine<Module> initialize(std::shared_ptr<Module> module, const EngineConfig& config, const World& world) {
  return Engine<Module>(std::move(module), config, world.ranks);
}
// For torch's module holders (TORCH_MODULE).
template <typename Holder>
auto initialize(const Holder& holder, const EngineConfig& config, const World& world)
    -> Engine<typename Holder::ContainedType> {
  return Engine<typename Holder::ContainedType>(holder.ptr(), config, world.ranks);
}

}  // namespace ds
