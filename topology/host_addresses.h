// The addresses under which other hosts can reach this one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

// Numeric, IPv4 before IPv6; interfaces that are up, without loopback, link-local addresses and bridges that only
// containers and virtual machines of this host use.
std::vector<std::string> global_addresses();

// Bridges of docker, podman, libvirt, lxc and the like, which have the same address on many hosts.
bool is_local_bridge(std::string_view interface);

}  // namespace ds
