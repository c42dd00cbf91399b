// Weights out: a folder that transformers loads.
#pragma once

#include <string>

#include "engine/config/model_config.h"

namespace ds {

class ParameterStore;

// Writes config.json and model.safetensors (fp32 masters, Hugging Face names, tied names once) into `folder`, which is
// made if it is not there; files of the same names are replaced by rename. Collective; rank 0 writes.
void export_model(ParameterStore& store, const ModelConfig& config, const std::string& folder);

}  // namespace ds
