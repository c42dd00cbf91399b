// From settings to the options of the representation table: dtypes of work and gradients.
#pragma once

#include <vector>

#include "engine/config/settings.h"
#include "engine/sharding/representation.h"

namespace ds {

StageOptions stage_options(const Settings& settings, const std::vector<Kind>& optimizer_states);

}  // namespace ds
