// Keys of a Hugging Face config.json that each architecture knows, and what they may hold.
#pragma once

#include <vector>

#include "engine/config/ds_key.h"
#include "engine/config/model_config.h"

namespace ds {

// Answers: supported = read; accepted = kept for export, changes no number; later = must have the given default.
std::vector<DsKey> model_keys(Architecture architecture);

}  // namespace ds
