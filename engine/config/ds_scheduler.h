// The "scheduler" section, or [train] lr_scheduler -> ScheduleSettings.
#pragma once

#include "engine/config/choice.h"
#include "engine/config/settings.h"

namespace ds {

// total_steps: of the run, 0 when it is not known yet. Adds problems to the choice's findings.
ScheduleSettings resolve_schedule(Choice& choice, int64_t total_steps);

// Does the schedule name its learning rates itself, so that the optimizer's is not used?
bool sets_learning_rate(const ScheduleSettings& settings);

}  // namespace ds
