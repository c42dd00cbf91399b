#include "engine/engine.h"

#include <algorithm>
#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/autograd/autograd.h>

#include "collectives/mpi_world.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/config/ds_config.h"
#include "engine/foreign/gather_on_use.h"
#include "engine/foreign/gradient_hooks.h"
#include "engine/foreign/module_units.h"
#include "engine/foreign/order_record.h"
#include "engine/optim/lr_schedule.h"
#include "engine/train/stage_options.h"
#include "engine/train/state_pieces.h"
#include "engine/zero/gradient_reducer.h"
#include "engine/zero/parameter_store.h"
#include "engine/zero/sharded_optimizer.h"
#include "engine/zero/torch_dtype.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// Units that stay gathered at stage 3 beside those in use.
constexpr int kGatheredUnits = 2;

}  // namespace

World world_from_environment() {
  World world;
  if (started_by_mpi()) {
    world.mpi = std::make_shared<MpiSession>();
    world.ranks = world.mpi->world();
  } else {
    world.ranks = singleton_communicator();
  }
  return world;
}

EngineConfig load_config(const std::string& path) { return {read_file(path), path}; }

struct ModuleEngine::Impl {
  std::shared_ptr<Communicator> ranks;
  Settings settings;
  ModuleParameters module;
  std::vector<std::string> unit_names;
  std::unique_ptr<ParameterStore> store;
  std::unique_ptr<GradientReducer> gradients;
  std::unique_ptr<ShardedOptimizer> optimizer;
  std::unique_ptr<LrSchedule> schedule;
  std::unique_ptr<GatherOnUse> gather;
  std::unique_ptr<GradientHooks> hooks;
  OrderRecord order;
  int64_t micro_steps = 0, updates = 0;
  double norm = 0;

  Impl(torch::nn::Module& user_module, const EngineConfig& config, std::shared_ptr<Communicator> world)
      : ranks(std::move(world)), settings(resolve_ds_config(config.text, config.path, ranks->size())) {
    module = list_parameters(user_module);
    for (const UnitDefinition& unit : module.units) unit_names.push_back(unit.name);
    auto rule = make_update_rule(settings.optimizer);
    store = std::make_unique<ParameterStore>(module.parameters, module.units, stage_options(settings, rule->states()),
                                             *ranks);
    take_weights_of_rank0();
    gradients = std::make_unique<GradientReducer>(*store);
    optimizer = std::make_unique<ShardedOptimizer>(*store, std::move(rule));
    schedule = make_lr_schedule(settings.schedule, settings.optimizer, 0);
    if (settings.zero.stage >= 3)
      gather = std::make_unique<GatherOnUse>(*store, kGatheredUnits, [this](int unit) { note(unit); });
    hooks = std::make_unique<GradientHooks>(*store, [this](int parameter) { gradients->take(parameter); },
                                            [this](int unit) { finish_unit(unit); });
  }

  // Collective actions follow the order of the first step. Evaluation is free: nothing is compared there.
  void note(int action) {
    if (at::GradMode::is_enabled() || in_backward) order.act(action, unit_names);
  }
  bool in_backward = false;

  void finish_unit(int unit) {
    if (settings.zero.stage >= 2) note(-unit - 1);
    gradients->finish_unit(unit);
  }

  void take_weights_of_rank0() {
    at::NoGradGuard no_grad;
    std::vector<at::Tensor> values;
    for (const at::Tensor& tensor : module.tensors) {
      values.push_back(tensor.detach().to(at::kFloat).contiguous().clone());
      ranks->broadcast(view_of(values.back()), 0).wait();
    }
    for (const at::Tensor& buffer : module.buffers) {
      at::Tensor same = buffer.contiguous();
      ranks->broadcast(view_of(same), 0).wait();
      at::Tensor target = buffer;
      target.copy_(same);
      if (settings.precision == Precision::kBFloat16 && target.is_floating_point())
        target.set_data(target.to(at::kBFloat16));
    }
    for (size_t p = 0; p < module.tensors.size(); ++p) store->adopt(static_cast<int>(p), module.tensors[p]);
    store->set_weights(
        [&](int parameter, int64_t offset, int64_t count, float* out) {
          std::copy_n(values[parameter].const_data_ptr<float>() + offset, count, out);
        },
        true);
  }

  void update() {
    gradients->finish_step();
    // A micro-batch's loss is a mean; so is the sum over micro-steps and ranks after this factor.
    double scale = 1.0 / static_cast<double>(settings.batch.accumulation);
    if (settings.gradient_allreduce_op == "mean") scale /= ranks->size();
    norm = std::sqrt(gradients->sum_of_squares()) * scale;
    if (!std::isfinite(norm))
      throw Error(ErrorCode::kNotFinite, "engine: gradients are not finite: update=" + std::to_string(updates + 1) +
                                             ": nothing was updated");
    const double limit = settings.gradient_clipping;
    const double clip = limit > 0 ? std::min(1.0, limit / (norm + 1e-6)) : 1.0;
    UpdateArguments arguments;
    arguments.step = updates + 1;
    arguments.learning_rate = schedule->learning_rate(updates);
    arguments.weight_decay = settings.optimizer.weight_decay;
    arguments.beta1 = schedule->beta1(updates).value_or(settings.optimizer.beta1);
    arguments.beta2 = schedule->beta2(updates).value_or(settings.optimizer.beta2);
    if (gather) gather->release_all();
    optimizer->step(*gradients, static_cast<float>(scale * clip), arguments);
    gradients->reset();
    ++updates;
  }

  // Buffers are equal on all ranks at the start; rank 0's are saved.
  std::vector<TensorPiece> buffer_pieces() {
    std::vector<TensorPiece> pieces;
    for (size_t b = 0; b < module.buffers.size(); ++b) {
      const at::Tensor& buffer = module.buffers[b];
      pieces.push_back({{module.buffer_names[b], "buffer", dtype_of(buffer.scalar_type()), buffer.sizes().vec()},
                        0, buffer.numel(), buffer.data_ptr()});
    }
    return pieces;
  }

  void save(const std::string& folder, int64_t step) {
    const nlohmann::json state{{"step", step}, {"updates", updates}, {"micro_steps", micro_steps},
                               {"optimizer", settings.optimizer.name}};
    SaveRequest request;
    request.folder = folder;
    request.step = step;
    request.pieces = pieces_to_save(*store).pieces;
    if (ranks->rank() == 0)
      for (TensorPiece& piece : buffer_pieces()) request.pieces.push_back(std::move(piece));
    request.state = &state;
    ds::save_checkpoint(*ranks, request);
  }

  void load(const std::string& folder) {
    const CheckpointReader reader(folder);
    const std::string optimizer_name = reader.state().value("optimizer", "");
    if (optimizer_name != settings.optimizer.name)
      throw Error(ErrorCode::kUsage, "checkpoint: optimizer is " + optimizer_name + " in " + reader.folder() + " and " +
                                         settings.optimizer.name + " now; it must be the same to resume");
    reader.read(pieces_to_load(*store, false).pieces);
    reader.read(buffer_pieces());
    store->refresh_work();
    updates = reader.state().at("updates").get<int64_t>();
  }

  // After a recorded step all ranks must have recorded the same order; comparing is cheaper than hanging later.
  void compare_order() {
    int64_t low = static_cast<int64_t>(order.hash() >> 1), high = low;
    ranks->all_reduce({&low, 1, DType::kInt64}, ReduceOp::kMin).wait();
    ranks->all_reduce({&high, 1, DType::kInt64}, ReduceOp::kMax).wait();
    if (low != high)
      throw Error(ErrorCode::kInternal, "engine: ranks used the modules in different orders: every "
                                        "rank must run the same modules in the same order");
  }
};

ModuleEngine::ModuleEngine(torch::nn::Module& module, const EngineConfig& config, std::shared_ptr<Communicator> ranks)
    : impl_(std::make_unique<Impl>(module, config, std::move(ranks))) {}
ModuleEngine::~ModuleEngine() = default;
ModuleEngine::ModuleEngine(ModuleEngine&&) noexcept = default;

void ModuleEngine::begin_forward() {}

void ModuleEngine::rethrow_cause() {
  if (impl_->gather) impl_->gather->rethrow_failure();
}

void ModuleEngine::backward(const at::Tensor& loss) {
  if (loss.numel() != 1)
    throw Error(ErrorCode::kUsage,
                "engine: backward needs a scalar loss: it has " + std::to_string(loss.numel()) + " elements");
  impl_->in_backward = true;
  try {
    impl_->hooks->begin_backward();
    torch::autograd::backward({loss}, {at::ones_like(loss)});
    impl_->hooks->end_backward();
  } catch (...) {
    impl_->in_backward = false;
    rethrow_cause();
    throw;
  }
  impl_->in_backward = false;
  if (impl_->gather) impl_->gather->release_all();
}

void ModuleEngine::step() {
  const bool boundary = is_accumulation_boundary();
  const bool recorded = impl_->order.recording();
  impl_->order.end_step(impl_->unit_names);
  if (recorded) impl_->compare_order();
  // The first backward only learns how many contributions each parameter gets; the order that counts is the second's.
  if (impl_->micro_steps == 0) impl_->order = OrderRecord();
  if (boundary) impl_->update();
  ++impl_->micro_steps;
}

bool ModuleEngine::is_accumulation_boundary() const {
  return (impl_->micro_steps + 1) % impl_->settings.batch.accumulation == 0;
}
double ModuleEngine::gradient_norm() const { return impl_->norm; }
double ModuleEngine::learning_rate() const { return impl_->schedule->learning_rate(impl_->updates); }
int64_t ModuleEngine::global_steps() const { return impl_->updates; }
const Settings& ModuleEngine::settings() const { return impl_->settings; }
ParameterStore& ModuleEngine::store() { return *impl_->store; }
GradientReducer& ModuleEngine::gradients() { return *impl_->gradients; }

at::Tensor ModuleEngine::gather_full(const std::string& name) {
  for (size_t p = 0; p < impl_->module.parameters.size(); ++p) {
    const Parameter& parameter = impl_->module.parameters[p];
    const auto& aliases = parameter.aliases;
    if (parameter.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end())
      return impl_->store->full_master(static_cast<int>(p));
  }
  throw Error(ErrorCode::kUsage, "engine: no parameter named " + name);
}

void ModuleEngine::save_checkpoint(const std::string& dir, const std::string& tag) {
  int64_t step = impl_->updates;
  if (!tag.empty()) {
    const auto number = tag.starts_with("step") ? parse_int(tag.substr(4)) : std::nullopt;
    if (!number || *number < 0)
      throw Error(ErrorCode::kUsage, "engine: checkpoint tag=" + tag + ": tags are step<n>, for example step100");
    step = *number;
  }
  impl_->save(dir, step);
}

void ModuleEngine::load_checkpoint(const std::string& dir) { impl_->load(dir); }

}  // namespace ds
