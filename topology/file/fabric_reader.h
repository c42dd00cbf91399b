// The section "fabric" of a topology file: bandwidths, rails, and which hosts stand in which rack.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// Fills cluster.fabric, racks of its hosts and rails of its NICs; `path` names the section in messages.
void read_fabric(const nlohmann::ordered_json& json, const std::string& path, Cluster& cluster,
                 std::vector<std::string>& problems);

}  // namespace ds
