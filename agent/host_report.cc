#include "agent/host_report.h"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "agent/job_folders.h"
#include "agent/networks.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

control::HostReport report_host() {
  control::HostReport report;
  report.set_host_name(own_host_name());
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    report.add_cores(cpu);
    report.add_numa_of_core(0);
  }
  for (const auto& network : own_networks()) report.add_addresses(network.address);
  report.set_memory_bytes(static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  return report;
}

control::PathReport check_paths(const control::CheckPaths& wanted, const std::string& host_name) {
  control::PathReport report;
  for (const auto& path : wanted.readable())
    if (access(path.c_str(), R_OK) != 0)
      report.add_problems("cannot read " + path + " on " + host_name + ": " + std::strerror(errno));
  if (wanted.token_file().empty()) return report;
  try {
    if (trim(read_file(wanted.token_file())) != trim(wanted.token()))
      report.add_problems(wanted.token_file() + " on " + host_name +
                          " has another content than on the launching host: the folder is not shared");
  } catch (const Error&) {
    report.add_problems(wanted.token_file() + " is not visible on " + host_name + ": the folder is not shared");
  }
  return report;
}

std::string cpu_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "";
}

}  // namespace ds
