// NICs and places of GPUs in the PCI tree, from an hwloc topology.
#pragma once

#include <hwloc.h>

#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// RDMA devices with an active port, then Ethernet interfaces of other cards that are up. Speeds are read under `sysfs`.
std::vector<Nic> nics_of(hwloc_topology_t topology, const std::string& sysfs = "/sys");

// Fills numa_of_gpu and switch_of_gpu of a host whose `gpus` have these PCI addresses ("00000000:3B:00.0", "" = not known).
void place_gpus(hwloc_topology_t topology, const std::vector<std::string>& bus_ids, Host& host);

// Levels of caches that more than one core share; `cores`: an object of each of host.cores.
std::vector<CacheLevel> shared_caches(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& cores);

// Logical index of the NUMA node of an object, the first if it has several; 0 without any.
int numa_of_object(hwloc_topology_t topology, hwloc_obj_t object);

}  // namespace ds
