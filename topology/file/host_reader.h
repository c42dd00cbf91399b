// One entry of "hosts" in a topology file: one host, or a range of hosts that are alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// `path` names the entry in messages; problems are added to `problems`.
Host read_described_host(const nlohmann::ordered_json& json, const std::string& path,
                         std::vector<std::string>& problems);

// A machine is what a host may be like: the keys of a host without its name, addresses and place.
void check_machine(const nlohmann::ordered_json& json, const std::string& path, std::vector<std::string>& problems);

// "n[1-3]" -> n1 n2 n3; "n[08-10]" -> n08 n09 n10; other names stay. Empty when the range is impossible or larger than `most`.
std::vector<std::string> numbered_names(const std::string& name, size_t most);

}  // namespace ds
