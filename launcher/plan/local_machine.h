// Which names mean this machine, and under which addresses others reach it.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct LocalAddress {
  std::string interface;  // "eth0"
  std::string address;    // numeric; link-local IPv6 with its zone, "fe80::1%eth0"
  bool loopback = false;
};

// Addresses of all interfaces that are up.
std::vector<LocalAddress> local_addresses();

// The addresses to publish to other hosts: no loopback, no link-local IPv6, no bridges of containers; with `wanted` ("eth0", "10.0.0.0/8", "")
// only those of that interface or network. Throws kUsage naming `wanted` and what there is when nothing fits.
std::vector<std::string> published_addresses(const std::vector<LocalAddress>& all, const std::string& wanted);

// Whether `host` is this machine: its name, or one of the addresses it resolves to is ours.
bool is_this_machine(const std::string& host, const std::vector<LocalAddress>& all);

}  // namespace ds
