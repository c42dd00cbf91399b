// How a cluster is written as a topology file.
#include <nlohmann/json.hpp>

#include "topology/topology_file.h"

namespace ds {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson nic_json(const Nic& nic) {
  OrderedJson json{{"name", nic.name}};
  if (!nic.rdma) json["rdma"] = false;
  if (nic.numa) json["numa"] = *nic.numa;
  if (nic.pci_switch) json["pci_switch"] = *nic.pci_switch;
  if (nic.rail) json["rail"] = *nic.rail;
  if (nic.gbits > 0) json["gbits"] = nic.gbits;
  return json;
}

OrderedJson cache_json(const CacheLevel& cache) {
  OrderedJson json{{"level", cache.level}};
  if (cache.bytes) json["bytes"] = cache.bytes;
  json["of_core"] = cache.of_core;
  return json;
}

void add_devices(const Host& host, OrderedJson& json) {
  if (!host.gpus.empty()) json["gpus"] = host.gpus;
  if (!host.numa_of_gpu.empty()) json["gpu_numa"] = host.numa_of_gpu;
  if (!host.switch_of_gpu.empty()) json["gpu_switches"] = host.switch_of_gpu;
  if (!host.nvlinks.empty()) json["nvlinks"] = host.nvlinks;
  for (const Nic& nic : host.nics) json["nics"].push_back(nic_json(nic));
}

OrderedJson described_host_json(const Host& host) {
  OrderedJson json{{"name", host.name}};
  if (host.slots) json["slots"] = *host.slots;
  if (host.max_slots) json["max_slots"] = *host.max_slots;
  if (!host.slot_ids.empty()) json["slot_ids"] = host.slot_ids;
  if (host.port) json["port"] = host.port;
  if (!host.user.empty()) json["user"] = host.user;
  if (!host.addresses.empty()) json["addresses"] = host.addresses;
  if (!host.rack.empty()) json["rack"] = host.rack;
  if (!host.leaf.empty()) json["switch"] = host.leaf;
  if (!host.cores.empty()) json["cores"] = host.cores;
  if (!host.threads_of_core.empty()) json["threads"] = host.threads_of_core;
  if (!host.numa_of_core.empty()) json["numa"] = host.numa_of_core;
  if (!host.socket_of_core.empty()) json["sockets"] = host.socket_of_core;
  for (const CacheLevel& cache : host.caches) json["caches"].push_back(cache_json(cache));
  add_devices(host, json);
  if (host.memory_bytes) json["memory_bytes"] = host.memory_bytes;
  return json;
}

OrderedJson bandwidths_json(const Fabric& fabric) {
  OrderedJson json;
  for (const Distance distance : kAllDistances)
    if (const auto& given = fabric.bandwidth[index_of(distance)]) json[name_of(distance)] = *given;
  if (fabric.nvlink) json["nvlink"] = *fabric.nvlink;
  if (fabric.nic) json["nic"] = *fabric.nic;
  return json;
}

}  // namespace

std::string topology_text(const Cluster& cluster) {
  OrderedJson json{{"hosts", OrderedJson::array()}};
  for (const Host& host : cluster.hosts) json["hosts"].push_back(described_host_json(host));
  if (!(cluster.fabric == Fabric{})) json["fabric"]["bandwidths"] = bandwidths_json(cluster.fabric);
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ds
