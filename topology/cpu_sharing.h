// Dividing the cores of a host among the ranks of a training job. Pure.
#pragma once

#include <vector>

#include "topology/cpu_places.h"

namespace ds {

// Cores/ranks consecutive cores of one NUMA node for each of `num_local` ranks, as many as all ranks can have, ascending
// CPUs. Needs at least one core for each rank.
std::vector<std::vector<int>> share_cores(const std::vector<Cpu>& cpus, size_t num_local);

}  // namespace ds
