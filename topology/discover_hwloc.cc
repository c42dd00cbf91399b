#include "topology/discover_hwloc.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "topology/base/error.h"
#include "topology/cgroup_limits.h"
#include "topology/discover_nvml.h"
#include "topology/host_addresses.h"

namespace ds {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

void check_hwloc(bool ok, const std::string& what) {
  if (!ok) throw Error(ErrorCode::kInternal, "hwloc: " + what + " failed");
}

Topology load(const std::string* xml) {
  hwloc_topology_t raw = nullptr;
  check_hwloc(hwloc_topology_init(&raw) == 0, "starting");
  Topology topology(raw);
  if (xml)
    check_hwloc(hwloc_topology_set_xmlbuffer(raw, xml->c_str(), static_cast<int>(xml->size()) + 1) == 0, "reading the XML");
  check_hwloc(hwloc_topology_load(raw) == 0, "loading the topology");
  return topology;
}

// The CPUs this process may run on; of a topology from a file all CPUs.
Bitmap allowed_cpus(hwloc_topology_t topology) {
  Bitmap cpus(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  Bitmap bound(hwloc_bitmap_alloc());
  const bool this_machine = hwloc_topology_is_thissystem(topology);
  if (this_machine && hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0)
    hwloc_bitmap_and(cpus.get(), cpus.get(), bound.get());
  return cpus;
}

std::vector<int> ids_of(hwloc_const_bitmap_t cpus) {
  std::vector<int> ids;
  for (int id = hwloc_bitmap_first(cpus); id >= 0; id = hwloc_bitmap_next(cpus, id)) ids.push_back(id);
  return ids;
}

int socket_of(hwloc_topology_t topology, hwloc_obj_t core) {
  const hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
  return socket ? static_cast<int>(socket->logical_index) : 0;
}

int numa_of(hwloc_topology_t topology, hwloc_obj_t core) {
  const int first = core->nodeset ? hwloc_bitmap_first(core->nodeset) : -1;
  const hwloc_obj_t node = first < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
  return node ? static_cast<int>(node->logical_index) : 0;
}

// Machines that hide their cores (some virtual ones) show CPUs only; each is taken as a core.
void add_cores(hwloc_topology_t topology, Host& host) {
  const Bitmap allowed = allowed_cpus(topology);
  const hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, type, nullptr); core; core = hwloc_get_next_obj_by_type(topology, type, core)) {
    const Bitmap usable(hwloc_bitmap_dup(core->cpuset));
    hwloc_bitmap_and(usable.get(), usable.get(), allowed.get());
    const int cpu = hwloc_bitmap_first(usable.get());
    if (cpu < 0) continue;
    host.cores.push_back(cpu);
    host.threads_of_core.push_back(ids_of(usable.get()));
    host.numa_of_core.push_back(numa_of(topology, core));
    host.socket_of_core.push_back(socket_of(topology, core));
  }
}

// A share of processor time below the number of cores: more ranks than that would only wait for each other.
void keep_cores(Host& host, size_t count) {
  count = std::min(std::max<size_t>(count, 1), host.cores.size());
  for (std::vector<int>* list : {&host.cores, &host.numa_of_core, &host.socket_of_core}) list->resize(count);
  host.threads_of_core.resize(count);
}

uint64_t memory_of(hwloc_topology_t topology, const std::optional<uint64_t>& limit) {
  const uint64_t total = hwloc_get_root_obj(topology)->total_memory;
  return limit && (total == 0 || *limit < total) ? *limit : total;
}

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace

Host discover_host() {
  const Topology topology = load(nullptr);
  const CgroupLimits limits = cgroup_limits();
  Host host{.name = own_name()};
  add_cores(topology.get(), host);
  if (limits.cpus) keep_cores(host, static_cast<size_t>(*limits.cpus));
  host.memory_bytes = memory_of(topology.get(), limits.memory_bytes);
  host.addresses = global_addresses();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  host.gpus = visible_gpus(survey_gpus().uuids, visible ? std::optional<std::string>(visible) : std::nullopt);
  return host;
}

Host cores_from_hwloc_xml(const std::string& xml) {
  Host host;
  add_cores(load(&xml).get(), host);
  return host;
}

}  // namespace ds
