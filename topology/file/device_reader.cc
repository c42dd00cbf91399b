#include "topology/file/device_reader.h"

#include <algorithm>

namespace ds {
namespace {

using Json = ObjectReader::Json;

// Names, or how many: "0", "1", ...
std::vector<std::string> gpu_names(ObjectReader& reader) {
  const Json* value = reader.find("gpus");
  if (!value || !value->is_number()) return reader.texts("gpus");
  std::vector<std::string> names;
  if (!is_whole_number(*value, 0, kMaxDevices))
    return reader.refuse("gpus", "must be a list of texts or a number up to " + std::to_string(kMaxDevices)), names;
  for (int gpu = 0; gpu < value->get<int>(); ++gpu) names.push_back(std::to_string(gpu));
  return names;
}

bool is_link_matrix(const Json& value, size_t num_gpus) {
  if (!value.is_array() || value.size() != num_gpus) return false;
  for (size_t i = 0; i < num_gpus; ++i) {
    if (!value[i].is_array() || value[i].size() != num_gpus) return false;
    for (size_t j = 0; j < num_gpus; ++j)
      if (!is_whole_number(value[i][j], 0, 1000) || (j < i && value[i][j] != value[j][i]) ||
          (i == j && value[i][j] != 0))
        return false;
  }
  return true;
}

// For each pair, or one number for all pairs (GPUs behind NVSwitches).
std::vector<std::vector<int>> link_matrix(ObjectReader& reader, size_t num_gpus) {
  const Json* value = reader.find("nvlinks");
  std::vector<std::vector<int>> links;
  if (!value) return links;
  if (is_link_matrix(*value, num_gpus)) return value->get<std::vector<std::vector<int>>>();
  if (!is_whole_number(*value, 0, 1000))
    return reader.refuse("nvlinks", "must be a number for all pairs, or for each of the " + std::to_string(num_gpus) +
                                        " GPUs a list of its links to each, the same both ways, 0 to itself"), links;
  if (*value == 0) return links;
  links.assign(num_gpus, std::vector<int>(num_gpus, value->get<int>()));
  for (size_t i = 0; i < num_gpus; ++i) links[i][i] = 0;
  return links;
}

Nic one_nic(ObjectReader& reader) {
  Nic nic{.name = reader.text("name"),
          .rdma = reader.flag("rdma", true),
          .numa = reader.number("numa", 65535),
          .pci_switch = reader.number("pci_switch", 65535),
          .rail = reader.number("rail", 65535),
          .gbits = reader.amount("gbits").value_or(0)};
  if (nic.name.empty() || nic.name.find_first_of(":,= ") != std::string::npos)
    reader.refuse("name", "must be a device name, for example mlx5_0");
  return nic;
}

std::vector<Nic> nic_list(ObjectReader& reader, const Json& list) {
  static const std::vector<std::string> kKeys{"name", "rdma", "numa", "pci_switch", "rail", "gbits"};
  std::vector<Nic> nics;
  if (list.size() > kMaxDevices) return reader.refuse("nics", "more than " + std::to_string(kMaxDevices)), nics;
  for (size_t i = 0; i < list.size(); ++i) {
    ObjectReader item(list[i], reader.path("nics[" + std::to_string(i) + "]"), kKeys, reader.problems());
    nics.push_back(one_nic(item));
    const auto same = [&](const Nic& nic) { return nic.name == nics.back().name; };
    if (std::count_if(nics.begin(), nics.end(), same) > 1)
      item.refuse("name", "'" + nics.back().name + "' is given twice");
  }
  return nics;
}

// Many alike: {"count": 8, "name": "mlx5_", "gbits": 400, "numa": 2, "pci_switches": 8}.
std::vector<Nic> counted_nics(ObjectReader& reader, const Json& object) {
  static const std::vector<std::string> kKeys{"count", "name", "rdma", "numa", "pci_switches", "gbits"};
  ObjectReader item(object, reader.path("nics"), kKeys, reader.problems());
  const auto count = static_cast<size_t>(item.number("count", kMaxDevices).value_or(0));
  const std::vector<int> numa = item.places("numa", count, "NICs", false),
                         switches = item.places("pci_switches", count, "NICs", false);
  const double gbits = item.amount("gbits").value_or(0);
  const bool rdma = item.flag("rdma", true);
  const std::string name = item.find("name") ? item.text("name") : "mlx5_";
  if (count == 0) item.refuse("count", "must be a number of NICs");
  if (name.empty() || name.find_first_of(":,= ") != std::string::npos)
    item.refuse("name", "must be how device names begin, for example mlx5_");
  std::vector<Nic> nics;
  for (size_t i = 0; i < count; ++i) {
    nics.push_back({.name = name + std::to_string(i), .rdma = rdma, .gbits = gbits});
    if (i < numa.size()) nics.back().numa = numa[i];
    if (i < switches.size()) nics.back().pci_switch = switches[i];
  }
  return nics;
}

}  // namespace

void read_gpus(ObjectReader& reader, Host& host) {
  host.gpus = gpu_names(reader);
  host.numa_of_gpu = reader.places("gpu_numa", host.gpus.size(), "GPUs", true);
  host.switch_of_gpu = reader.places("gpu_switches", host.gpus.size(), "GPUs", true);
  host.nvlinks = link_matrix(reader, host.gpus.size());
}

std::vector<Nic> read_nics(ObjectReader& reader) {
  const Json* value = reader.find("nics");
  if (!value) return {};
  if (value->is_array()) return nic_list(reader, *value);
  if (value->is_object()) return counted_nics(reader, *value);
  reader.refuse("nics", "must be a list of NICs, or an object {\"count\": ...} for many alike");
  return {};
}

}  // namespace ds
