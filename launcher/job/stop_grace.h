// How long ranks that were asked to stop may take before they are killed.
#pragma once

#include <chrono>
#include <optional>

namespace ds {

// `given`: --grace, in seconds; else 30 s for training and 1 s for programs. `kill_wait`: where Slurm kills so long
// after its TERM; agents and launcher need the last two seconds of it.
std::chrono::milliseconds stop_grace(std::optional<double> given, bool training,
                                     std::optional<std::chrono::seconds> kill_wait);

}  // namespace ds
