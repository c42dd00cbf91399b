#include "agent/mca_defaults.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ds {

static constexpr std::string_view kPrefix = "OMPI_MCA_";

bool is_user_parameter(const std::string& variable) {
  static constexpr std::array<std::string_view, 18> kFrameworks = {
      "btl",   "pml",      "mtl",  "bml",    "coll",  "osc",  "io",    "fs",  "fbtl",
      "fcoll", "sharedfp", "topo", "rcache", "mpool", "mpi_", "opal_", "op_", "vprotocol"};
  if (!variable.starts_with(kPrefix)) return false;
  const auto name = std::string_view(variable).substr(kPrefix.size());
  return std::any_of(kFrameworks.begin(), kFrameworks.end(),
                     [&](auto framework) { return name.starts_with(framework); });
}

void add_mca_defaults(Environment& environment, const MpiSurroundings& surroundings) {
  const auto has = [&](const char* key) { return environment.count(std::string(kPrefix) + key) > 0; };
  const auto add = [&](const char* key, const std::string& value) {
    environment.emplace(std::string(kPrefix) + key, value);
  };
  const bool user_chose = has("pml") || has("mtl") || has("btl");
  if (!user_chose && !(surroundings.several_hosts && surroundings.fast_fabric)) {
    add("pml", "ob1");
    add("btl", surroundings.several_hosts ? "self,vader,tcp" : "self,vader");
  }
  if (surroundings.several_hosts && !has("btl_tcp_if_include") && !has("btl_tcp_if_exclude")) {
    if (!surroundings.included_networks.empty()) add("btl_tcp_if_include", surroundings.included_networks);
    else if (!surroundings.excluded_networks.empty()) add("btl_tcp_if_exclude", surroundings.excluded_networks);
  }
  if (surroundings.oversubscribed) add("mpi_oversubscribe", "1");
  if (!surroundings.uses_gpus) add("mpi_yield_when_idle", "1");
  add("btl_vader_backing_directory", surroundings.memory_folder);
}

}  // namespace ds
