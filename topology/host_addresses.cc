#include "topology/host_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

namespace ds {
namespace {

// The address as text; empty when it is of no use to other hosts.
std::string global_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    const in_addr& v4 = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    const uint32_t bits = ntohl(v4.s_addr);
    const bool link_local = (bits >> 16) == 0xa9fe, loopback = (bits >> 24) == 127;
    if (!link_local && !loopback) inet_ntop(AF_INET, &v4, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&v6) && !IN6_IS_ADDR_LOOPBACK(&v6)) inet_ntop(AF_INET6, &v6, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

bool is_local_bridge(std::string_view interface) {
  constexpr std::array<std::string_view, 8> kPrefixes{"docker", "virbr", "lxcbr",   "lxdbr",
                                                      "podman", "cni",   "flannel", "br-"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return interface.starts_with(prefix); });
}

std::vector<std::string> global_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* each = first; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP) || (each->ifa_flags & IFF_LOOPBACK) ||
        is_local_bridge(each->ifa_name))
      continue;
    std::string text = global_text(each->ifa_addr);
    if (!text.empty() && std::find(addresses.begin(), addresses.end(), text) == addresses.end())
      addresses.push_back(std::move(text));
  }
  const auto is_v4 = [](const std::string& address) { return address.find(':') == std::string::npos; };
  std::stable_partition(addresses.begin(), addresses.end(), is_v4);
  return addresses;
}

}  // namespace ds
