#include "topology/hwloc_topology.h"

#include <cstdlib>
#include <string>

#include "topology/base/error.h"

namespace ds {
namespace {

void check_hwloc(bool ok, const std::string& what) {
  if (!ok) throw Error(ErrorCode::kInternal, "hwloc: " + what + " failed");
}

// hwloc loads every plugin that is installed before it can be told which ones are wanted: libraries for displays, OpenCL
// and XML that take longer than all the rest. A choice of the user stands.
class PluginsLeftOut {
 public:
  explicit PluginsLeftOut(bool xml, bool devices) : ours_(std::getenv(kVariable) == nullptr) {
    std::string names = "hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so,hwloc_gl.so";
    if (!xml) names += ",hwloc_xml_libxml.so";
    if (!devices) names += ",hwloc_pci.so";
    if (ours_) setenv(kVariable, names.c_str(), 1);
  }
  ~PluginsLeftOut() {
    if (ours_) unsetenv(kVariable);  // not for the programs we start
  }

 private:
  static constexpr const char* kVariable = "HWLOC_PLUGINS_BLACKLIST";
  bool ours_;
};

HwlocTopology new_topology(bool xml, bool devices) {
  const PluginsLeftOut left_out(xml, devices);
  hwloc_topology_t raw = nullptr;
  check_hwloc(hwloc_topology_init(&raw) == 0, "starting");
  return HwlocTopology(raw);
}

}  // namespace

HwlocTopology load_hwloc(const std::string* xml, bool devices) {
  HwlocTopology topology = new_topology(xml != nullptr, devices);
  hwloc_topology_t raw = topology.get();
  if (xml)
    check_hwloc(hwloc_topology_set_xmlbuffer(raw, xml->c_str(), static_cast<int>(xml->size()) + 1) == 0,
                "reading the XML");
  for (const char* component : {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"})
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                  component);  // not there: nothing to do
  const hwloc_type_filter_e filter = devices ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT : HWLOC_TYPE_FILTER_KEEP_NONE;
  check_hwloc(hwloc_topology_set_io_types_filter(raw, filter) == 0, "asking for devices");
  check_hwloc(hwloc_topology_load(raw) == 0, "loading the topology");
  return topology;
}

}  // namespace ds
