// The networks of this host, and which of them reach all other hosts of a generation.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct Network {
  std::string address;  // of this host, numeric
  int prefix = 0;       // length in bits
  std::string interface;
  bool operator==(const Network&) const = default;
};

std::vector<Network> own_networks();  // up, no loopback, no link-local
bool loopback_is_up();

bool contains(const Network& network, const std::string& address);  // false for another family and for nonsense
std::string cidr(const Network& network);                           // "10.77.0.0/24"

// CIDRs, separated by commas, of the networks that hold at least one address of every other host; IPv4 first choice.
// Empty when there is none (hosts behind routers): then nothing should be restricted.
std::string shared_networks(const std::vector<Network>& own, const std::vector<std::vector<std::string>>& other_hosts);

}  // namespace ds
