// Descriptions of hosts as a JSON file, for planning without the machines and for tests. The page is
// docs/topology_file.md.
#pragma once

#include <string>

#include "topology/host.h"

namespace ds {

// `file` names the source in messages. Throws one kUsage Error with all problems: not JSON (with line), unknown keys
// (with the nearest known one), values of a wrong type or out of range, a host named twice.
Cluster parse_topology(const std::string& text, const std::string& file);

// The same description as text that parse_topology reads back.
std::string topology_text(const Cluster& cluster);

// `hosts` with addresses, cores, GPUs and memory, and open slots, of the hosts of the same name in `described`. Throws
// kUsage naming every host that is not described.
Cluster with_hardware(const Cluster& hosts, const Cluster& described);

}  // namespace ds
