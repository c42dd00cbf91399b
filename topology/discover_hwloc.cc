#include "topology/discover_hwloc.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "topology/cgroup_limits.h"
#include "topology/discover_devices.h"
#include "topology/discover_nvml.h"
#include "topology/gpu_links.h"
#include "topology/host_addresses.h"
#include "topology/hwloc_topology.h"

namespace ds {
namespace {

// The CPUs this process may run on; of a topology from a file all CPUs.
HwlocBitmap allowed_cpus(hwloc_topology_t topology) {
  HwlocBitmap cpus(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  HwlocBitmap bound(hwloc_bitmap_alloc());
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

// Machines that hide their cores (some virtual ones) show CPUs only; each is taken as a core.
void add_cores(hwloc_topology_t topology, Host& host) {
  const HwlocBitmap allowed = allowed_cpus(topology);
  const hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, type, nullptr); core;
       core = hwloc_get_next_obj_by_type(topology, type, core)) {
    const HwlocBitmap usable(hwloc_bitmap_dup(core->cpuset));
    hwloc_bitmap_and(usable.get(), usable.get(), allowed.get());
    const int cpu = hwloc_bitmap_first(usable.get());
    if (cpu < 0) continue;
    objects.push_back(core);
    host.cores.push_back(cpu);
    host.threads_of_core.push_back(ids_of(usable.get()));
    host.numa_of_core.push_back(numa_of_object(topology, core));
    host.socket_of_core.push_back(socket_of(topology, core));
  }
  host.caches = shared_caches(topology, objects);
}

// A share of processor time below the number of cores: more ranks than that would only wait for each other.
void keep_cores(Host& host, size_t count) {
  count = std::min(std::max<size_t>(count, 1), host.cores.size());
  for (std::vector<int>* list : {&host.cores, &host.numa_of_core, &host.socket_of_core}) list->resize(count);
  host.threads_of_core.resize(count);
  for (CacheLevel& cache : host.caches) cache.of_core.resize(count);
}

uint64_t memory_of(hwloc_topology_t topology, const std::optional<uint64_t>& limit) {
  const uint64_t total = hwloc_get_root_obj(topology)->total_memory;
  return limit && (total == 0 || *limit < total) ? *limit : total;
}

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// Visible GPUs, where they are, and the links between them.
void add_gpus(hwloc_topology_t topology, Host& host) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const GpuSurvey survey = survey_gpus();
  host.gpus = visible_gpus(survey.uuids, visible ? std::optional<std::string>(visible) : std::nullopt);
  if (host.gpus.empty()) return;
  const std::vector<int> devices = devices_of(survey.uuids, host.gpus);
  std::vector<std::string> bus_ids;
  for (const int device : devices) bus_ids.push_back(device < 0 ? "" : survey.bus_ids[static_cast<size_t>(device)]);
  place_gpus(topology, bus_ids, host);
  host.nvlinks = links_of_devices(survey.nvlinks, devices);
}

bool place_of_devices_matters() {
  std::error_code error;
  const std::filesystem::directory_iterator rdma("/sys/class/infiniband", error);
  if (!error && rdma != std::filesystem::directory_iterator()) return true;
  return std::filesystem::exists("/dev/nvidiactl", error);
}

}  // namespace

Host discover_host(DeviceScan scan) {
  const HwlocTopology topology = load_hwloc(nullptr, scan == DeviceScan::kAlways || place_of_devices_matters());
  const CgroupLimits limits = cgroup_limits();
  Host host{.name = own_name()};
  add_cores(topology.get(), host);
  if (limits.cpus) keep_cores(host, static_cast<size_t>(*limits.cpus));
  host.memory_bytes = memory_of(topology.get(), limits.memory_bytes);
  host.addresses = global_addresses();
  host.nics = nics_of(topology.get());
  add_gpus(topology.get(), host);
  return host;
}

Host cores_from_hwloc_xml(const std::string& xml) {
  Host host;
  add_cores(load_hwloc(&xml, false).get(), host);
  return host;
}

Host devices_from_hwloc_xml(const std::string& xml, const std::vector<std::string>& gpu_bus_ids,
                            const std::string& sysfs) {
  const HwlocTopology topology = load_hwloc(&xml, true);
  Host host;
  for (size_t gpu = 0; gpu < gpu_bus_ids.size(); ++gpu) host.gpus.push_back(std::to_string(gpu));
  place_gpus(topology.get(), gpu_bus_ids, host);
  host.nics = nics_of(topology.get(), sysfs);
  return host;
}

}  // namespace ds
