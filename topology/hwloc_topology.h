// An hwloc topology as an owned value.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>

namespace ds {

struct HwlocDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, HwlocDeleter>;

struct HwlocBitmapDeleter {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using HwlocBitmap = std::unique_ptr<hwloc_bitmap_s, HwlocBitmapDeleter>;

// This machine, or with `xml` another one, with PCI bridges and important devices if wanted. GPUs are left to NVML: hwloc's own ways
// to ask for them load large libraries. Throws kInternal.
HwlocTopology load_hwloc(const std::string* xml, bool devices);

}  // namespace ds
