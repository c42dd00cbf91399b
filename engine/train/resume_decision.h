// Whether a run starts fresh, continues, or must not touch what is there (interface.md section 3 "Resume").
#pragma once

#include <string>

#include "engine/config/settings.h"

namespace ds {

// The checkpoint to load, "" for a fresh start. Throws kUsage when checkpoint.resume = never and the output folder has
// metrics or checkpoints, when the folder belongs to another job, or when the named checkpoint does not exist.
// Reads only.
std::string checkpoint_to_resume(const Settings& settings);

}  // namespace ds
