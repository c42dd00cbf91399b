#include "engine/train/layer_runner.h"

#include <algorithm>
#include <set>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full_like.h>
#include <torch/csrc/autograd/autograd.h>

namespace ds {
namespace {

std::vector<std::vector<int>> units_of_layers(const ModelDefinition& model, const ParameterStore& store) {
  std::vector<std::vector<int>> result;
  for (const LayerDefinition& layer : model.layers) {
    std::set<int> units;
    for (const int parameter : layer.uses) units.insert(store.unit_of(parameter));
    result.emplace_back(units.begin(), units.end());
  }
  return result;
}

}  // namespace

LayerRunner::LayerRunner(const ModelDefinition& model, ParameterStore& store, GradientReducer& gradients)
    : model_(model),
      store_(store),
      gradients_(gradients),
      training_(training_actions(units_of_layers(model, store))),
      evaluation_(evaluation_actions(units_of_layers(model, store))),
      inputs_(model.layers.size()),
      outputs_(model.layers.size()) {}

void LayerRunner::forward(int layer, StepContext& context, bool with_backward) {
  at::AutoGradMode grad_mode(with_backward);
  const LayerDefinition& definition = model_.layers[layer];
  std::vector<at::Tensor> weights;
  for (const int parameter : definition.uses) weights.push_back(store_.tensor(parameter));
  at::Tensor input;
  if (layer > 0) {
    // A boundary: each layer is a graph of its own, so backward can stop between layers.
    input = outputs_[layer - 1].detach();
    if (with_backward) input.set_requires_grad(true);
    outputs_[layer - 1] = with_backward ? outputs_[layer - 1] : at::Tensor();
  }
  outputs_[layer] = definition.forward(input, weights, context);
  inputs_[layer] = with_backward ? input : at::Tensor();
}

void LayerRunner::backward(int layer, double seed) {
  const bool last = layer + 1 == static_cast<int>(model_.layers.size());
  const at::Tensor gradient = last ? at::full_like(outputs_[layer], seed) : inputs_[layer + 1].grad();
  torch::autograd::backward({outputs_[layer]}, {gradient});
  outputs_[layer].reset();
  if (!last) inputs_[layer + 1].reset();
  for (const int parameter : model_.layers[layer].uses) gradients_.take(parameter);
}

void LayerRunner::train(StepContext& context, double seed) {
  for (const Action& action : training_) {
    switch (action.kind) {
      case ActionKind::kGather: store_.gather(action.index); break;
      case ActionKind::kRelease: store_.release(action.index); break;
      case ActionKind::kForward: forward(action.index, context, true); break;
      case ActionKind::kBackward: backward(action.index, seed); break;
      case ActionKind::kFinishGradients: gradients_.finish_unit(action.index); break;
    }
    count_action();
  }
  inputs_[0].reset();
}

void LayerRunner::evaluate(StepContext& context) {
  context.training = false;
  for (const Action& action : evaluation_) {
    switch (action.kind) {
      case ActionKind::kGather: store_.gather(action.index); break;
      case ActionKind::kRelease: store_.release(action.index); break;
      case ActionKind::kForward: forward(action.index, context, false); break;
      default: break;
    }
    count_action();
  }
  outputs_.back().reset();
}

}  // namespace ds
