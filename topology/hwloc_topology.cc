#include "topology/hwloc_topology.h"

#include "topology/base/error.h"

namespace ds {
namespace {

void check_hwloc(bool ok, const std::string& what) {
  if (!ok) throw Error(ErrorCode::kInternal, "hwloc: " + what + " failed");
}

}  // namespace

HwlocTopology load_hwloc(const std::string* xml, bool devices) {
  hwloc_topology_t raw = nullptr;
  check_hwloc(hwloc_topology_init(&raw) == 0, "starting");
  HwlocTopology topology(raw);
  if (xml)
    check_hwloc(hwloc_topology_set_xmlbuffer(raw, xml->c_str(), static_cast<int>(xml->size()) + 1) == 0, "reading the XML");
  for (const char* component : {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"})
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);  // not there: nothing to do
  const hwloc_type_filter_e filter = devices ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT : HWLOC_TYPE_FILTER_KEEP_NONE;
  check_hwloc(hwloc_topology_set_io_types_filter(raw, filter) == 0, "asking for devices");
  check_hwloc(hwloc_topology_load(raw) == 0, "loading the topology");
  return topology;
}

}  // namespace ds
