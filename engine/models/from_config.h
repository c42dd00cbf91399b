// From a model's configuration to its definition, and the weights it starts with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/config/model_config.h"
#include "engine/models/layer.h"

namespace ds {

class ParameterStore;

ModelDefinition make_model(const ModelConfig& config);
ModelDefinition make_gpt2(const ModelConfig& config);
ModelDefinition make_llama(const ModelConfig& config);  // and Qwen2

// Parameters whose name contains one of the patterns do not decay.
void exclude_from_decay(ModelDefinition& model, const std::vector<std::string>& patterns);

// Weights from model.safetensors (or its index) in `folder`: every parameter under its name or an alias, any floating
// dtype, converted to fp32. Missing tensors, other shapes and tensors that the model has no place for are kUsage Errors
// naming file, tensor and shapes; all at once.
void load_weights(ParameterStore& store, const std::string& folder);

// Fresh weights: a pure function of (seed, name, element index).
void initialise_weights(ParameterStore& store, uint64_t seed);

}  // namespace ds
