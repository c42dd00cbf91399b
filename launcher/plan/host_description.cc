#include "launcher/plan/host_description.h"

#include "agent/proto/control.pb.h"

namespace ds {
namespace {

std::optional<int> known(int number) { return number < 0 ? std::nullopt : std::optional(number); }

void take_gpu_places(const control::HostReport& report, Host& host) {
  const size_t num_gpus = host.gpus.size();
  if (num_gpus == 0 || static_cast<size_t>(report.gpu_places_size()) != num_gpus) return;
  for (const control::GpuReport& gpu : report.gpu_places()) {
    host.numa_of_gpu.push_back(gpu.numa());
    host.switch_of_gpu.push_back(gpu.pci_switch());
    if (static_cast<size_t>(gpu.nvlinks_size()) == num_gpus)
      host.nvlinks.emplace_back(gpu.nvlinks().begin(), gpu.nvlinks().end());
  }
  if (host.nvlinks.size() != num_gpus) host.nvlinks.clear();
}

void take_devices(const control::HostReport& report, Host& host) {
  for (const control::NicReport& nic : report.nics())
    host.nics.push_back({.name = nic.name(),
                         .rdma = nic.rdma(),
                         .numa = known(nic.numa()),
                         .pci_switch = known(nic.pci_switch()),
                         .gbits = nic.gbits()});
  for (const control::CacheReport& cache : report.caches())
    if (static_cast<size_t>(cache.of_core_size()) == host.cores.size())
      host.caches.push_back(
          {static_cast<int>(cache.level()), cache.bytes(), {cache.of_core().begin(), cache.of_core().end()}});
  take_gpu_places(report, host);
}

}  // namespace

Host host_of_report(const control::HostReport& report) {
  Host host;
  host.name = report.host_name();
  host.addresses.assign(report.addresses().begin(), report.addresses().end());
  host.cores.assign(report.cores().begin(), report.cores().end());
  for (const control::CpuSet& threads : report.threads_of_core())
    host.threads_of_core.emplace_back(threads.cpus().begin(), threads.cpus().end());
  if (host.threads_of_core.size() != host.cores.size()) host.threads_of_core.clear();
  host.numa_of_core.assign(report.numa_of_core().begin(), report.numa_of_core().end());
  if (host.numa_of_core.size() != host.cores.size()) host.numa_of_core.clear();
  host.socket_of_core.assign(report.socket_of_core().begin(), report.socket_of_core().end());
  if (host.socket_of_core.size() != host.cores.size()) host.socket_of_core.clear();
  host.gpus.assign(report.gpus().begin(), report.gpus().end());
  take_devices(report, host);
  host.memory_bytes = report.memory_bytes();
  return host;
}

}  // namespace ds
