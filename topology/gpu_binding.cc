#include "topology/gpu_binding.h"

#include <algorithm>

#include "topology/cpu_places.h"

namespace ds {
namespace {

int numa_of_gpu_named(const Host& host, const std::vector<std::string>& gpus) {
  const auto found = gpus.empty() ? host.gpus.end() : std::find(host.gpus.begin(), host.gpus.end(), gpus[0]);
  const auto index = static_cast<size_t>(found - host.gpus.begin());
  return index < host.numa_of_gpu.size() ? host.numa_of_gpu[index] : -1;
}

// NUMA node that all these CPUs are in; -2 = none or several, which is near no GPU.
int numa_of_cpus(const Host& host, const std::vector<int>& cpus) {
  int numa = -2;
  for (const int core : cores_touched(host, cpus)) {
    const auto index = static_cast<size_t>(std::find(host.cores.begin(), host.cores.end(), core) - host.cores.begin());
    const int here = index < host.numa_of_core.size() ? host.numa_of_core[index] : 0;
    if (numa != -2 && numa != here) return -2;
    numa = here;
  }
  return numa;
}

}  // namespace

void bind_near_gpus(const Cluster& cluster, std::vector<RankPlace>& places) {
  const auto near = [&](const RankPlace& rank, const RankPlace& cores) {
    const Host& host = cluster.hosts[rank.host];
    return numa_of_gpu_named(host, rank.gpus) == numa_of_cpus(host, cores.cpus);
  };
  for (size_t i = 0; i < places.size(); ++i) {
    const bool told = numa_of_gpu_named(cluster.hosts[places[i].host], places[i].gpus) >= 0;
    if (!told || places[i].cpus.empty() || near(places[i], places[i])) continue;
    for (size_t j = 0; j < places.size(); ++j) {
      if (places[j].host != places[i].host || !near(places[i], places[j]) || near(places[j], places[j])) continue;
      std::swap(places[i].cpus, places[j].cpus);
      break;
    }
  }
}

}  // namespace ds
