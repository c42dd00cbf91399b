#include "engine/models/from_config.h"

namespace ds {

ModelDefinition make_model(const ModelConfig& config) {
  ModelDefinition model = config.architecture == Architecture::kGpt2 ? make_gpt2(config) : make_llama(config);
  model.vocab_size = config.vocab_size;
  model.max_positions = config.max_positions;
  return model;
}

void exclude_from_decay(ModelDefinition& model, const std::vector<std::string>& patterns) {
  for (Parameter& parameter : model.parameters)
    for (const std::string& pattern : patterns)
      if (!pattern.empty() && parameter.name.find(pattern) != std::string::npos) parameter.decays = false;
}

}  // namespace ds
