// What this host has, as this process may use it.
#pragma once

#include "topology/host.h"

namespace ds {

// Name, usable physical cores with NUMA node and socket (affinity mask, cpuset and processor-time limit of the control
// group applied), memory, global addresses, visible GPUs. `slots` stays open: placement decides. Takes milliseconds.
// Throws kInternal when hwloc cannot read the machine.
Host discover_host();

// Only cores, numa_of_core and socket_of_core, from a topology in hwloc's XML (tests, planning); all of its cores.
Host cores_from_hwloc_xml(const std::string& xml);

}  // namespace ds
