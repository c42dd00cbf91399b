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

// `wanted`: an interface ("eth0") or a network ("10.0.0.0/8", "fd00::/8").
bool is_wanted(const Network& network, const std::string& wanted);

// The networks that MPI may use between the hosts of a generation, as Open MPI takes them: CIDRs for IPv4, interfaces for
// IPv6, separated by commas. At most one of the two is not empty.
struct NetworkChoice {
  std::string include{};     // those that all hosts share
  std::string exclude{};     // there is none (hosts behind routers): those that others cannot mean
  std::string interfaces{};  // of include, as NCCL and Gloo take them
  bool operator==(const NetworkChoice&) const = default;
};

// `published`: the addresses of this host as the launcher gave them to all; what is not among them (a bridge of
// containers, an address that other hosts have too) is never chosen. Empty = not known. Shared is a network that holds
// a published address of every other host; IPv4 first. With `wanted` that one, shared or not.
NetworkChoice choose_networks(const std::vector<Network>& own, const std::vector<std::string>& published,
                              const std::vector<std::vector<std::string>>& other_hosts, const std::string& wanted);

}  // namespace ds
