// How the ranks of a training job talk to each other, as far as train.cfg says.
#pragma once

#include "collectives/communicator.h"

namespace ds {

struct TrainConfig;

CommunicatorOptions world_options(const TrainConfig& config);

}  // namespace ds
