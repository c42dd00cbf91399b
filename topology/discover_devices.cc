#include "topology/discover_devices.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "topology/base/text.h"

namespace ds {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The outermost bridge below the host bridge: devices under the same one do not have to pass the processor.
std::optional<int> pci_switch_of(hwloc_obj_t device) {
  std::optional<int> found;
  for (hwloc_obj_t one = device->parent; one; one = one->parent)
    if (one->type == HWLOC_OBJ_BRIDGE && one->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
      found = static_cast<int>(one->logical_index);
  return found;
}

std::optional<int> numa_of_device(hwloc_topology_t topology, hwloc_obj_t device) {
  const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
  if (!near || !near->nodeset || hwloc_bitmap_weight(near->nodeset) != 1) return std::nullopt;
  return numa_of_object(topology, near);
}

hwloc_obj_t pci_device_of(hwloc_obj_t os_device) {
  for (hwloc_obj_t one = os_device->parent; one; one = one->parent)
    if (one->type == HWLOC_OBJ_PCI_DEVICE) return one;
  return nullptr;
}

// "200 Gb/sec (4X HDR)"
double rdma_gbits(const std::string& sysfs, const std::string& name) {
  const std::string rate = first_line(sysfs + "/class/infiniband/" + name + "/ports/1/rate");
  return parse_double(rate.substr(0, rate.find(' '))).value_or(0);
}

bool port_is_active(hwloc_obj_t device) {
  const char* state = hwloc_obj_get_info_by_name(device, "Port1State");
  return !state || std::strcmp(state, "4") == 0;
}

Nic nic_at(hwloc_topology_t topology, hwloc_obj_t device, hwloc_obj_t pci) {
  Nic nic{.name = device->name};
  if (pci) nic.numa = numa_of_device(topology, pci);
  if (pci) nic.pci_switch = pci_switch_of(pci);
  return nic;
}

}  // namespace

int numa_of_object(hwloc_topology_t topology, hwloc_obj_t object) {
  const int first = object->nodeset ? hwloc_bitmap_first(object->nodeset) : -1;
  const hwloc_obj_t node =
      first < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
  return node ? static_cast<int>(node->logical_index) : 0;
}

std::vector<Nic> nics_of(hwloc_topology_t topology, const std::string& sysfs) {
  std::vector<Nic> nics;
  std::set<hwloc_obj_t> rdma_cards;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device));) {
    if (device->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !device->name || !port_is_active(device)) continue;
    const hwloc_obj_t pci = pci_device_of(device);
    nics.push_back(nic_at(topology, device, pci));
    nics.back().gbits = rdma_gbits(sysfs, nics.back().name);
    rdma_cards.insert(pci);
  }
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device));) {
    const hwloc_obj_t pci = pci_device_of(device);
    if (device->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK || !device->name || !pci || rdma_cards.count(pci)) continue;
    const std::string folder = sysfs + "/class/net/" + device->name;
    if (first_line(folder + "/operstate") == "down") continue;
    nics.push_back(nic_at(topology, device, pci));
    nics.back().rdma = false;
    nics.back().gbits = std::max(0.0, parse_double(first_line(folder + "/speed")).value_or(0) / 1000);
  }
  return nics;
}

void place_gpus(hwloc_topology_t topology, const std::vector<std::string>& bus_ids, Host& host) {
  host.numa_of_gpu.assign(host.gpus.size(), -1);
  host.switch_of_gpu.assign(host.gpus.size(), -1);
  for (size_t gpu = 0; gpu < host.gpus.size() && gpu < bus_ids.size(); ++gpu) {
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(bus_ids[gpu].c_str(), "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) continue;
    const hwloc_obj_t device = hwloc_get_pcidev_by_busid(topology, domain, bus, slot, function);
    if (!device) continue;
    host.numa_of_gpu[gpu] = numa_of_device(topology, device).value_or(-1);
    host.switch_of_gpu[gpu] = pci_switch_of(device).value_or(-1);
  }
}

std::vector<CacheLevel> shared_caches(hwloc_topology_t topology, const std::vector<hwloc_obj_t>& cores) {
  std::vector<CacheLevel> levels;
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    CacheLevel level{.level = 2 + static_cast<int>(type - HWLOC_OBJ_L2CACHE)};
    std::map<int, int> users;
    for (const hwloc_obj_t core : cores) {
      const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, type, core);
      if (!cache) break;
      level.bytes = cache->attr->cache.size;
      level.of_core.push_back(static_cast<int>(cache->logical_index));
      ++users[level.of_core.back()];
    }
    const bool shared = std::any_of(users.begin(), users.end(), [](const auto& one) { return one.second > 1; });
    if (shared && level.of_core.size() == cores.size()) levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace ds
