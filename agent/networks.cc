#include "agent/networks.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "topology/base/text.h"
#include "topology/numeric_address.h"

namespace ds {

namespace {

struct Bytes {
  int family = AF_UNSPEC;
  size_t count = 0;
  unsigned char data[16] = {};
};

std::optional<Bytes> parse(std::string address) {
  address = address.substr(0, address.find('%'));
  Bytes bytes;
  if (inet_pton(AF_INET, address.c_str(), bytes.data) == 1) {
    bytes.family = AF_INET;
    bytes.count = 4;
  } else if (inet_pton(AF_INET6, address.c_str(), bytes.data) == 1) {
    bytes.family = AF_INET6;
    bytes.count = 16;
  } else {
    return std::nullopt;
  }
  return bytes;
}

void clear_after(Bytes& bytes, int prefix) {
  for (size_t i = 0; i < bytes.count; ++i) {
    const int keep = std::clamp(prefix - static_cast<int>(8 * i), 0, 8);
    bytes.data[i] &= static_cast<unsigned char>(0xff00 >> keep);
  }
}

std::string text(const Bytes& bytes) {
  char buffer[INET6_ADDRSTRLEN] = {};
  inet_ntop(bytes.family, bytes.data, buffer, sizeof buffer);
  return buffer;
}

Bytes bytes_of(const sockaddr* address) {
  Bytes bytes;
  bytes.family = address->sa_family;
  if (bytes.family == AF_INET) {
    bytes.count = 4;
    std::memcpy(bytes.data, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 4);
  } else if (bytes.family == AF_INET6) {
    bytes.count = 16;
    std::memcpy(bytes.data, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, 16);
  }
  return bytes;
}

int prefix_of(const Bytes& mask) {
  int bits = 0;
  for (size_t i = 0; i < mask.count; ++i) bits += std::popcount(mask.data[i]);
  return bits;
}

bool link_local(const Bytes& bytes) {
  if (bytes.family == AF_INET) return bytes.data[0] == 169 && bytes.data[1] == 254;
  return bytes.data[0] == 0xfe && (bytes.data[1] & 0xc0) == 0x80;
}

}  // namespace

std::vector<Network> own_networks() {
  std::vector<Network> result;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return result;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || !entry->ifa_netmask || !(entry->ifa_flags & IFF_UP) || (entry->ifa_flags & IFF_LOOPBACK))
      continue;
    const Bytes address = bytes_of(entry->ifa_addr);
    if (address.count == 0 || link_local(address)) continue;
    result.push_back({text(address), prefix_of(bytes_of(entry->ifa_netmask)), entry->ifa_name});
  }
  freeifaddrs(list);
  return result;
}

bool loopback_is_up() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool up = false;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next)
    up |= (entry->ifa_flags & IFF_LOOPBACK) && (entry->ifa_flags & IFF_UP) && entry->ifa_addr &&
          entry->ifa_addr->sa_family == AF_INET;
  freeifaddrs(list);
  return up;
}

bool contains(const Network& network, const std::string& address) {
  auto own = parse(network.address), other = parse(address);
  if (!own || !other || own->family != other->family) return false;
  clear_after(*own, network.prefix);
  clear_after(*other, network.prefix);
  return std::memcmp(own->data, other->data, own->count) == 0;
}

std::string cidr(const Network& network) {
  auto bytes = parse(network.address);
  if (!bytes) return "";
  clear_after(*bytes, network.prefix);
  return text(*bytes) + "/" + std::to_string(network.prefix);
}

bool is_wanted(const Network& network, const std::string& wanted) {
  return network.interface == wanted || in_network(network.address, wanted);
}

static bool has(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

static void add_once(std::vector<std::string>& list, const std::string& one) {
  if (!has(list, one)) list.push_back(one);
}

static bool is_ipv4(const Network& network) { return network.address.find(':') == std::string::npos; }

// Open MPI reads CIDRs of IPv4 only.
static NetworkChoice included(const std::vector<Network>& chosen) {
  const bool ipv4 = std::any_of(chosen.begin(), chosen.end(), is_ipv4);
  std::vector<std::string> include, interfaces;
  for (const Network& network : chosen) {
    if (is_ipv4(network) != ipv4) continue;
    add_once(include, ipv4 ? cidr(network) : network.interface);
    add_once(interfaces, network.interface);
  }
  return {join(include, ","), "", join(interfaces, ",")};
}

NetworkChoice choose_networks(const std::vector<Network>& own, const std::vector<std::string>& published,
                              const std::vector<std::vector<std::string>>& other_hosts, const std::string& wanted) {
  const auto usable = [&](const Network& network) { return published.empty() || has(published, network.address); };
  const auto reaches_all = [&](const Network& network) {
    return std::all_of(other_hosts.begin(), other_hosts.end(), [&](const auto& addresses) {
      return std::any_of(addresses.begin(), addresses.end(), [&](const auto& a) { return contains(network, a); });
    });
  };
  std::vector<Network> chosen;
  for (const Network& network : own)
    if (wanted.empty() ? usable(network) && reaches_all(network) : is_wanted(network, wanted))
      chosen.push_back(network);
  if (!chosen.empty()) return included(chosen);
  std::vector<std::string> good, others;
  for (const Network& network : own)
    if (usable(network)) add_once(good, network.interface);
  for (const Network& network : own)
    if (!has(good, network.interface)) add_once(others, network.interface);
  return {"", others.empty() ? "" : "lo," + join(others, ","), ""};
}

}  // namespace ds
