// A model as a list of layers: pure functions from activations and weights to activations. Layers know nothing about
// ranks, stages or memory; whoever runs them hands them their weights.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/sharding/parameter.h"
#include "engine/sharding/unit_layout.h"

namespace ds {

// What the layers of one micro-batch may read besides the hidden state.
struct StepContext {
  at::Tensor tokens;     // int64 [rows, length]
  at::Tensor labels;     // int64 [rows, length]; -100 is not counted; undefined: no loss wanted
  std::vector<int64_t> samples;  // global sample number of each row
  int64_t step = 0;
  uint64_t seed = 0;
  bool training = true;
  at::Tensor row_losses;  // out: fp64 [rows], sum of the token losses of each row (last layer, with labels)
  at::Tensor logits;      // out: [rows, length, vocabulary] when there are no labels
};

// weights: in the order of LayerDefinition::uses. hidden: undefined for the first layer. The last layer returns the
// sum of the token losses (fp32 scalar) when there are labels.
using LayerFunction =
    std::function<at::Tensor(const at::Tensor& hidden, std::span<const at::Tensor> weights, StepContext& context)>;

struct LayerDefinition {
  std::string name;
  std::vector<int> uses;  // parameters it reads; those of other layers' units are tied weights
  LayerFunction forward;
};

// Layer i owns unit i.
struct ModelDefinition {
  std::vector<Parameter> parameters;
  std::vector<UnitDefinition> units;
  std::vector<LayerDefinition> layers;
  int64_t vocab_size = 0;
  int64_t max_positions = 0;
};

}  // namespace ds
