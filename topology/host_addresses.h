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

// The 4 or 16 bytes of a numeric address, a zone ignored; empty for anything else.
std::string address_bytes(const std::string& address);

// "10.1.2.3" in "10.0.0.0/8"; false for anything malformed. IPv4 and IPv6.
bool in_network(const std::string& address, const std::string& network);

}  // namespace ds
