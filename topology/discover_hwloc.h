// What this host has, as this process may use it.
#pragma once

#include "topology/host.h"

namespace ds {

// Name, usable physical cores with NUMA node, socket and shared caches (affinity mask, cpuset and processor-time limit of
// the control group applied), memory, global addresses, NICs, visible GPUs with their places and links. `slots` stays open:
// placement decides. Takes milliseconds.
// Throws kInternal when hwloc cannot read the machine.
//
// Reading PCI's tree costs every launch as much again as all the rest (measured: 9 ms of 12), so devices are looked at where
// something depends on where they are: hosts with an RDMA network or NVIDIA's driver; or always.
enum class DeviceScan { kWhereItMatters, kAlways };
Host discover_host(DeviceScan scan = DeviceScan::kWhereItMatters);

// Only cores with NUMA nodes, sockets and caches, from a topology in hwloc's XML (tests, planning); all of its cores.
Host cores_from_hwloc_xml(const std::string& xml);

// NICs, and places of GPUs with these PCI addresses, from the same; speeds are read under `sysfs`.
Host devices_from_hwloc_xml(const std::string& xml, const std::vector<std::string>& gpu_bus_ids,
                            const std::string& sysfs);

}  // namespace ds
