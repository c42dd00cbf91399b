#include "engine/train/world_options.h"

#include "engine/config/train_config.h"

namespace ds {

CommunicatorOptions world_options(const TrainConfig& config) {
  CommunicatorOptions options;
  if (config.text("train.reduction", "fixed") == "fastest") options.reduction = Reduction::kFastest;
  return options;
}

}  // namespace ds
