#include "launcher/host_description.h"

#include "agent/proto/control.pb.h"

namespace ds {

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
  host.memory_bytes = report.memory_bytes();
  return host;
}

}  // namespace ds
