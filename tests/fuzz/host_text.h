// Hosts as text that the parsers of hostfiles read back: the inverse that the product does not need.
#pragma once

#include <string>

#include "topology/host.h"

namespace ds::fuzz {

std::string hostfile_text(const Cluster& cluster);
std::string host_option_text(const Cluster& cluster);  // -H

}  // namespace ds::fuzz
