#include "engine/tools/topology_report.h"

#include <cstdio>
#include <ostream>

#include "engine/tools/text_table.h"
#include "topology/base/text.h"
#include "topology/cpu_list.h"
#include "topology/distance.h"
#include "topology/nic_affinity.h"

namespace ds {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostInMatrix = 16;

void print_section(const Rows& table, std::ostream& out) {
  out << "\n";
  print_table(table, out);
}

std::string number_at(const std::vector<int>& values, size_t i) {
  return i < values.size() && values[i] >= 0 ? std::to_string(values[i]) : "-";
}
std::string optional_text(const std::optional<int>& value) { return value ? std::to_string(*value) : "-"; }

std::string gigabytes_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g GB/s", value);
  return text;
}

std::string cache_text(const CacheLevel& cache) {
  return "L" + std::to_string(cache.level) +
         (cache.bytes ? " (" + bytes_text(static_cast<int64_t>(cache.bytes)) + ")" : "");
}

void print_cores(const Host& host, std::ostream& out) {
  if (host.cores.empty()) return;
  Rows table{{"core", "NUMA node", "socket"}};
  for (const CacheLevel& cache : host.caches) table[0].push_back(cache_text(cache));
  for (size_t i = 0; i < host.cores.size(); ++i) {
    table.push_back(
        {std::to_string(host.cores[i]), number_at(host.numa_of_core, i), number_at(host.socket_of_core, i)});
    for (const CacheLevel& cache : host.caches) table.back().push_back(number_at(cache.of_core, i));
  }
  print_section(table, out);
}

void print_gpus(const Host& host, std::ostream& out) {
  if (host.gpus.empty()) return;
  Rows table{{"GPU", "NUMA node", "PCIe switch", "NICs", "NVLinks to GPUs"}};
  for (size_t i = 0; i < host.gpus.size(); ++i) {
    std::vector<std::string> nics, links;
    for (const size_t nic : nearest_nics(host, i < host.switch_of_gpu.size() ? host.switch_of_gpu[i] : -1,
                                         i < host.numa_of_gpu.size() ? host.numa_of_gpu[i] : -1))
      nics.push_back(host.nics[nic].name);
    for (size_t j = 0; j < host.nvlinks.size(); ++j) links.push_back(i == j ? "-" : std::to_string(host.nvlinks[i][j]));
    table.push_back({host.gpus[i], number_at(host.numa_of_gpu, i), number_at(host.switch_of_gpu, i),
                     nics.empty() ? "-" : join(nics, ","), links.empty() ? "none" : join(links, " ")});
  }
  print_section(table, out);
}

void print_nics(const Host& host, std::ostream& out) {
  if (host.nics.empty()) return;
  Rows table{{"NIC", "kind", "NUMA node", "PCIe switch", "rail", "speed"}};
  for (const Nic& nic : host.nics)
    table.push_back({nic.name, nic.rdma ? "RDMA" : "Ethernet", optional_text(nic.numa), optional_text(nic.pci_switch),
                     optional_text(nic.rail), nic.gbits > 0 ? gigabytes_text(nic.gbits / 8) : "-"});
  print_section(table, out);
}

// Between GPUs, else between cores.
void print_device_distances(const Cluster& cluster, size_t index, std::ostream& out) {
  const Host& host = cluster.hosts[index];
  const bool gpus = !host.gpus.empty();
  const size_t count = gpus ? host.gpus.size() : host.cores.size();
  if (count < 2 || count > kMostInMatrix) return;
  std::vector<Location> places;
  Rows table{{gpus ? "distances of GPUs" : "distances of cores"}};
  for (size_t i = 0; i < count; ++i) {
    RankPlace place;
    if (gpus) place.gpus = {host.gpus[i]};
    else place.cpus = {host.cores[i]};
    places.push_back(locate_on(host, place));
    places.back().host = static_cast<int>(index);
    table[0].push_back(gpus ? host.gpus[i] : std::to_string(host.cores[i]));
  }
  for (size_t i = 0; i < count; ++i) {
    table.push_back({table[0][i + 1]});
    for (size_t j = 0; j < count; ++j)
      table.back().push_back(i == j ? "-" : name_of(distance_between(cluster, places[i], places[j])));
  }
  print_section(table, out);
}

// What the file says, else the default.
std::string carries(const Fabric& fabric, Distance distance) {
  if (const auto& given = fabric.bandwidth[index_of(distance)]) return gigabytes_text(*given);
  if (within_host(distance))
    return gigabytes_text(default_bandwidth(distance)) +
           (distance == Distance::kLink ? ", NVLink " + gigabytes_text(fabric.nvlink.value_or(kDefaultNvlink)) + " each"
                                        : "");
  char share[32];
  std::snprintf(share, sizeof share, "%.4g of the slower NIC", share_of_nic(distance));
  return share;
}

}  // namespace

void print_described_host(const Cluster& cluster, size_t index, std::ostream& out) {
  const Host& host = cluster.hosts[index];
  Rows table{{"host", host.name},
             {"addresses", host.addresses.empty() ? "none" : join(host.addresses, ", ")},
             {"memory", host.memory_bytes ? bytes_text(static_cast<int64_t>(host.memory_bytes)) : "not known"},
             {"GPUs", host.gpus.empty() ? "none" : join(host.gpus, ", ")}};
  if (!host.rack.empty()) table.push_back({"rack", host.rack});
  if (!host.leaf.empty()) table.push_back({"switch", host.leaf});
  print_table(table, out);
  print_cores(host, out);
  print_gpus(host, out);
  print_nics(host, out);
  print_device_distances(cluster, index, out);
}

void print_network(const Cluster& cluster, std::ostream& out) {
  const size_t count = cluster.hosts.size();
  if (count > 1 && count <= kMostInMatrix) {
    const Locator locator(cluster);
    Rows table{{"distances of hosts"}};
    for (const Host& host : cluster.hosts) table[0].push_back(host.name);
    for (size_t i = 0; i < count; ++i) {
      table.push_back({cluster.hosts[i].name});
      for (size_t j = 0; j < count; ++j)
        table.back().push_back(
            i == j ? "-"
                   : name_of(distance_between(cluster, locator.locate({.host = i}), locator.locate({.host = j}))));
    }
    print_section(table, out);
  }
  Rows table{{"distance", "carries, one way, for one pair"}};
  for (const Distance distance : kAllDistances) table.push_back({name_of(distance), carries(cluster.fabric, distance)});
  print_section(table, out);
}

}  // namespace ds
