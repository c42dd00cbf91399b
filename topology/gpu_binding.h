// Cores near the GPU of each rank. Pure.
#pragma once

#include <vector>

#include "topology/host.h"
#include "topology/placement.h"

namespace ds {

// Exchanges the cores of ranks on one host so that as many as possible are in the NUMA node of the rank's GPU. Hosts that do
// not tell where their GPUs are stay as they are.
void bind_near_gpus(const Cluster& cluster, std::vector<RankPlace>& places);

}  // namespace ds
