// Parameters of each learning-rate schedule: names, types, defaults, ranges. One table per type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/config/ds_key.h"

namespace ds {

// DeepSpeed's five, torch's LinearLR and CosineAnnealingLR, and transformers' linear, cosine, constant_with_warmup.
// nullptr for a type that is none of these.
const std::vector<DsKey>* schedule_keys(std::string_view type);
std::vector<std::string> schedule_types();
// torch schedules that exist but are not here: "not supported yet" rather than unknown.
const std::vector<std::string>& later_schedule_types();

}  // namespace ds
