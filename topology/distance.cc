#include "topology/distance.h"

#include <algorithm>
#include <map>
#include <string>

#include "topology/cpu_places.h"
#include "topology/nic_affinity.h"

namespace ds {
namespace {

// The number of `name`, given out in the order in which names come.
int number_of(std::map<std::string, int>& numbers, const std::string& name) {
  return numbers.emplace(name, static_cast<int>(numbers.size())).first->second;
}

std::vector<size_t> core_indices(const Host& host, const std::vector<int>& cpus) {
  std::vector<size_t> indices;
  const std::vector<int> touched = cores_touched(host, cpus);
  for (size_t i = 0; i < host.cores.size(); ++i)
    if (std::binary_search(touched.begin(), touched.end(), host.cores[i])) indices.push_back(i);
  return indices;
}

// What all of these have in `place_of`, or -1. An empty list stands for one place.
int common_place(const std::vector<int>& place_of, const std::vector<size_t>& indices) {
  if (indices.empty()) return -1;
  if (place_of.empty()) return 0;
  const int first = place_of[indices[0]];
  return std::all_of(indices.begin(), indices.end(), [&](size_t i) { return place_of[i] == first; }) ? first : -1;
}

void locate_gpu(const Host& host, const std::string& name, Location& at) {
  const auto found = std::find(host.gpus.begin(), host.gpus.end(), name);
  if (found == host.gpus.end()) return;
  const auto index = static_cast<size_t>(found - host.gpus.begin());
  at.gpu = static_cast<int>(index);
  at.core = -1;
  at.caches.clear();
  at.numa = index < host.numa_of_gpu.size() ? host.numa_of_gpu[index] : -1;
  at.pci_switch = index < host.switch_of_gpu.size() ? host.switch_of_gpu[index] : -1;
  at.socket = -1;
  for (size_t core = 0; core < host.numa_of_core.size() && core < host.socket_of_core.size(); ++core)
    if (host.numa_of_core[core] == at.numa) at.socket = host.socket_of_core[core];
}

void locate_cores(const Host& host, const std::vector<int>& cpus, Location& at) {
  const std::vector<size_t> cores = core_indices(host, cpus);
  if (cores.size() == 1) at.core = static_cast<int>(cores[0]);
  at.numa = common_place(host.numa_of_core, cores);
  at.socket = common_place(host.socket_of_core, cores);
  for (const CacheLevel& cache : host.caches) at.caches.push_back(common_place(cache.of_core, cores));
}

bool same(int a, int b) { return a >= 0 && a == b; }

int nvlinks_between(const Host& host, const Location& a, const Location& b) {
  if (a.gpu < 0 || b.gpu < 0 || host.nvlinks.empty()) return 0;
  return host.nvlinks[static_cast<size_t>(a.gpu)][static_cast<size_t>(b.gpu)];
}

bool share_a_cache(const Location& a, const Location& b) {
  for (size_t level = 0; level < std::min(a.caches.size(), b.caches.size()); ++level)
    if (same(a.caches[level], b.caches[level])) return true;
  return false;
}

}  // namespace

Locator::Locator(const Cluster& cluster) : cluster_(cluster) {
  std::map<std::string, int> racks, leaves;
  for (const Host& host : cluster.hosts) {
    rack_of_host_.push_back(number_of(racks, host.rack));
    leaf_of_host_.push_back(number_of(leaves, host.leaf.empty() ? "rack " + host.rack : "switch " + host.leaf));
  }
}

Location locate_on(const Host& host, const RankPlace& place) {
  Location at{.slot = place.slot};
  if (!place.cpus.empty()) locate_cores(host, place.cpus, at);
  if (!place.gpus.empty()) locate_gpu(host, place.gpus[0], at);
  return at;
}

Location Locator::locate(const RankPlace& place) const {
  const Host& host = cluster_.hosts[place.host];
  Location at = locate_on(host, place);
  at.host = static_cast<int>(place.host);
  at.rack = rack_of_host_[place.host];
  at.leaf = leaf_of_host_[place.host];
  const std::vector<size_t> near = nearest_nics(host, at.pci_switch, at.numa);
  if (!near.empty()) {
    // Ranks to which several are as near share them out.
    at.nic = static_cast<int>(near[static_cast<size_t>(place.slot) % near.size()]);
    at.rail = host.nics[static_cast<size_t>(at.nic)].rail.value_or(-1);
  }
  return at;
}

Distance distance_between(const Cluster& cluster, const Location& a, const Location& b) {
  if (a.host != b.host) {
    if (a.leaf == b.leaf && a.rail == b.rail) return Distance::kSwitch;
    return a.rack == b.rack ? Distance::kRack : Distance::kFabric;
  }
  if (same(a.gpu, b.gpu) || same(a.core, b.core)) return Distance::kDevice;
  const bool linked =
      nvlinks_between(cluster.hosts[static_cast<size_t>(a.host)], a, b) > 0 || same(a.pci_switch, b.pci_switch);
  if (linked || share_a_cache(a, b)) return Distance::kLink;
  if (same(a.numa, b.numa)) return Distance::kNuma;
  return same(a.socket, b.socket) ? Distance::kSocket : Distance::kHost;
}

double nic_bandwidth(const Cluster& cluster, const Location& at) {
  const Host& host = cluster.hosts[static_cast<size_t>(at.host)];
  const double gbits = at.nic < 0 ? 0 : host.nics[static_cast<size_t>(at.nic)].gbits;
  if (gbits > 0) return gbits / 8;
  const Fabric& fabric = cluster.fabric;
  return fabric.nic.value_or(fabric.bandwidth[index_of(Distance::kSwitch)].value_or(kDefaultNic));
}

double bandwidth_between(const Cluster& cluster, const Location& a, const Location& b) {
  const Distance distance = distance_between(cluster, a, b);
  if (const auto& given = cluster.fabric.bandwidth[index_of(distance)]) return *given;
  if (!within_host(distance))
    return std::min(nic_bandwidth(cluster, a), nic_bandwidth(cluster, b)) * share_of_nic(distance);
  if (distance == Distance::kLink)
    if (const int links = nvlinks_between(cluster.hosts[static_cast<size_t>(a.host)], a, b))
      return links * cluster.fabric.nvlink.value_or(kDefaultNvlink);
  return default_bandwidth(distance);
}

}  // namespace ds
