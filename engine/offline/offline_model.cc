#include "engine/offline/offline_model.h"

#include <filesystem>

#include <ATen/ops/from_blob.h>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/models/from_config.h"
#include "engine/train/layer_runner.h"
#include "engine/train/state_pieces.h"

namespace ds {
namespace {

bool is_model_folder(const std::string& folder) {
  return std::filesystem::exists(folder + "/config.json") && has_safetensors(folder);
}

}  // namespace

struct OfflineModel::Impl {
  ModelConfig config;
  std::unique_ptr<Communicator> alone = singleton_communicator();
  ModelDefinition model;
  std::unique_ptr<ParameterStore> store;
  std::unique_ptr<GradientReducer> gradients;  // what the runner wants; never used forward
  std::unique_ptr<LayerRunner> runner;

  explicit Impl(const std::string& config_folder)
      : config(load_model_config(config_folder)), model(make_model(config)) {
    store = std::make_unique<ParameterStore>(model.parameters, model.units, StageOptions{}, *alone);
    gradients = std::make_unique<GradientReducer>(*store);
    runner = std::make_unique<LayerRunner>(model, *store, *gradients);
  }
};

OfflineModel::OfflineModel(const std::string& folder) {
  if (is_model_folder(folder)) {
    impl_ = std::make_unique<Impl>(folder);
    load_weights(*impl_->store, folder);
    return;
  }
  const CheckpointReader reader(folder);
  impl_ = std::make_unique<Impl>(reader.folder());
  reader.read(pieces_to_load(*impl_->store, true).pieces);
}

OfflineModel::~OfflineModel() = default;
const ModelConfig& OfflineModel::config() const { return impl_->config; }
ParameterStore& OfflineModel::store() { return *impl_->store; }

at::Tensor OfflineModel::logits(const std::vector<int64_t>& tokens) {
  StepContext context;
  const auto length = static_cast<int64_t>(tokens.size());
  context.tokens = at::from_blob(const_cast<int64_t*>(tokens.data()), {1, length}, at::kLong).clone();
  context.samples = {0};
  impl_->runner->evaluate(context);
  return context.logits[0].to(at::kFloat);
}

}  // namespace ds
