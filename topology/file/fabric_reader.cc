#include "topology/file/fabric_reader.h"

#include <map>

#include "topology/base/text.h"
#include "topology/file/host_reader.h"
#include "topology/file/object_reader.h"

namespace ds {
namespace {

void read_bandwidths(ObjectReader& fabric, Fabric& result) {
  const auto* json = fabric.find("bandwidths");
  if (!json) return;
  std::vector<std::string> keys;
  for (const Distance distance : kAllDistances) keys.push_back(name_of(distance));
  keys.insert(keys.end(), {"nvlink", "nic"});
  ObjectReader reader(*json, fabric.path("bandwidths"), keys, fabric.problems());
  for (const Distance distance : kAllDistances) result.bandwidth[index_of(distance)] = reader.amount(name_of(distance));
  result.nvlink = reader.amount("nvlink");
  result.nic = reader.amount("nic");
}

// "racks": {"r1": ["n[1-4]", "n9"]}
void read_racks(ObjectReader& fabric, Cluster& cluster) {
  const auto* json = fabric.find("racks");
  if (!json) return;
  if (!json->is_object()) return fabric.refuse("racks", "must be an object of racks, each a list of hosts");
  std::vector<std::string> names;
  for (const auto& [rack, hosts] : json->items()) names.push_back(rack);
  ObjectReader reader(*json, fabric.path("racks"), names, fabric.problems());
  std::map<std::string, Host*> by_name;
  for (Host& host : cluster.hosts) by_name.emplace(lower(host.name), &host);
  for (const std::string& rack : names)
    for (const std::string& range : reader.texts(rack)) {
      const std::vector<std::string> hosts = numbered_names(range, by_name.size());
      if (hosts.empty())
        reader.refuse(rack, "'" + range + "' must be a host, or a range like n[1-8] of described hosts");
      for (const std::string& name : hosts) {
        const auto host = by_name.find(lower(name));
        if (rack.empty()) reader.refuse(rack, "a rack needs a name");
        else if (host == by_name.end()) reader.refuse(rack, "host '" + name + "' is not described");
        else if (!host->second->rack.empty() && host->second->rack != rack)
          reader.refuse(rack, "host '" + name + "' is in rack '" + host->second->rack + "' already");
        else host->second->rack = rack;
      }
    }
}

// NIC i of each host is on rail i modulo the number of rails, unless it says otherwise.
void number_rails(Cluster& cluster, int rails) {
  for (Host& host : cluster.hosts)
    for (size_t i = 0; i < host.nics.size(); ++i)
      if (!host.nics[i].rail) host.nics[i].rail = static_cast<int>(i) % rails;
}

}  // namespace

void read_fabric(const nlohmann::ordered_json& json, const std::string& path, Cluster& cluster,
                 std::vector<std::string>& problems) {
  static const std::vector<std::string> kKeys{"bandwidths", "rails", "racks"};
  ObjectReader reader(json, path, kKeys, problems);
  read_bandwidths(reader, cluster.fabric);
  read_racks(reader, cluster);
  if (const auto rails = reader.number("rails", 65535)) {
    if (*rails < 1) reader.refuse("rails", "must be 1 or more");
    else number_rails(cluster, *rails);
  }
}

}  // namespace ds
