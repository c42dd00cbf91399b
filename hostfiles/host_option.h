// The host list of a command line: -H "a,b:2".
#pragma once

#include <string_view>

#include "topology/host.h"

namespace ds {

// Items "host", "host:slots", "host:*" (as many as the host has), "user@host", "node[1-3]:2", "[2001:db8::1]:2",
// "2001:db8::1". A plain host is one slot; repeated names add their slots. Throws kUsage listing every bad item, and on more than 65,536 names.
Cluster parse_host_option(std::string_view list);

}  // namespace ds
