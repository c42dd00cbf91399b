// The "optimizer" section and what [train] says about it -> OptimizerSettings.
#pragma once

#include "engine/config/choice.h"
#include "engine/config/settings.h"

namespace ds {

// Adds problems to the choice's findings. With no section: AdamW. `schedule_sets_rate`: the scheduler brings its own
// learning rates, so that none is needed here.
OptimizerSettings resolve_optimizer(Choice& choice, bool schedule_sets_rate);

}  // namespace ds
