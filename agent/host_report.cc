#include "agent/host_report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "agent/networks.h"
#include "agent/oom_kills.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"

namespace ds {

namespace {

// Addresses of the wanted interface or network first; also of a bridge, if that is wanted.
void put_first(std::vector<std::string>& addresses, const std::string& interface) {
  if (interface.empty()) return;
  const std::vector<Network> networks = own_networks();
  std::vector<std::string> wanted, all;
  for (const Network& network : networks) {
    all.push_back(network.interface + " " + network.address);
    if (is_wanted(network, interface)) wanted.push_back(network.address);
  }
  if (wanted.empty())
    throw Error(ErrorCode::kUsage, "no address for --interface=" + interface + "; there are " + join(all, ", "));
  for (const std::string& address : addresses)
    if (std::find(wanted.begin(), wanted.end(), address) == wanted.end()) wanted.push_back(address);
  addresses = std::move(wanted);
}

// One running machine with one name and one set of addresses; a reboot or another network namespace is another one.
std::string machine_of(const Host& host) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  return std::getline(file, boot) ? boot + " " + host.name + " " + join(host.addresses, " ") : "";
}

}  // namespace

// All that placement needs beyond cores.
static void add_devices(const Host& host, control::HostReport& report) {
  for (const Nic& nic : host.nics) {
    control::NicReport& one = *report.add_nics();
    one.set_name(nic.name);
    one.set_rdma(nic.rdma);
    one.set_numa(nic.numa.value_or(-1));
    one.set_pci_switch(nic.pci_switch.value_or(-1));
    one.set_gbits(nic.gbits);
  }
  for (const CacheLevel& cache : host.caches) {
    control::CacheReport& one = *report.add_caches();
    one.set_level(static_cast<uint32_t>(cache.level));
    one.set_bytes(cache.bytes);
    for (const int place : cache.of_core) one.add_of_core(static_cast<uint32_t>(place));
  }
  for (size_t gpu = 0; gpu < host.numa_of_gpu.size(); ++gpu) {
    control::GpuReport& one = *report.add_gpu_places();
    one.set_numa(host.numa_of_gpu[gpu]);
    one.set_pci_switch(host.switch_of_gpu[gpu]);
    if (!host.nvlinks.empty())
      for (const int links : host.nvlinks[gpu]) one.add_nvlinks(static_cast<uint32_t>(links));
  }
}

control::HostReport report_host(const std::string& interface, const PortRange& ports) {
  Host host = discover_host();
  control::HostReport report;
  report.set_host_name(host.name);
  for (const int core : host.cores) report.add_cores(static_cast<uint32_t>(core));
  for (const std::vector<int>& threads : host.threads_of_core) {
    control::CpuSet& cpus = *report.add_threads_of_core();
    for (const int cpu : threads) cpus.add_cpus(static_cast<uint32_t>(cpu));
  }
  for (const int node : host.numa_of_core) report.add_numa_of_core(static_cast<uint32_t>(node));
  for (const int package : host.socket_of_core) report.add_socket_of_core(static_cast<uint32_t>(package));
  report.set_machine(machine_of(host));
  report.set_free_port(static_cast<uint32_t>(free_port(ports)));
  put_first(host.addresses, interface);
  for (const auto& address : host.addresses) report.add_addresses(address);
  for (const auto& gpu : host.gpus) report.add_gpus(gpu);
  add_devices(host, report);
  report.set_memory_bytes(host.memory_bytes);
  report.set_oom_kills(oom_kills());
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
    if (line.starts_with("flags") || line.starts_with("Features"))
      return std::string(trim(line.substr(line.find(':') + 1)));
  return "";
}

}  // namespace ds
