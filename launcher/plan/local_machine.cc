#include "launcher/plan/local_machine.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/host_addresses.h"
#include "topology/numeric_address.h"

namespace ds {
namespace {

std::string numeric(const sockaddr* address) {
  socklen_t size = address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  char text[NI_MAXHOST];
  return ::getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0 ? text : "";
}

std::vector<std::string> resolve(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::vector<std::string> result;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return result;
  for (addrinfo* one = found; one; one = one->ai_next) result.push_back(numeric(one->ai_addr));
  ::freeaddrinfo(found);
  return result;
}

bool is_link_local(const std::string& address) { return lower(address).starts_with("fe80:"); }

// Another host may have the same link-local address behind another interface.
bool zones_differ(const std::string& address, const LocalAddress& mine) {
  const size_t percent = address.find('%');
  return percent != std::string::npos && address.substr(percent + 1) != mine.interface;
}

}  // namespace

std::vector<LocalAddress> local_addresses() {
  std::vector<LocalAddress> result;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return result;
  std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (ifaddrs* one = list; one; one = one->ifa_next) {
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP)) continue;
    if (one->ifa_addr->sa_family != AF_INET && one->ifa_addr->sa_family != AF_INET6) continue;
    std::string text = numeric(one->ifa_addr);
    if (!text.empty()) result.push_back({one->ifa_name, text, (one->ifa_flags & IFF_LOOPBACK) != 0});
  }
  return result;
}

std::vector<std::string> published_addresses(const std::vector<LocalAddress>& all, const std::string& wanted) {
  std::vector<std::string> result, interfaces;
  for (const LocalAddress& one : all) {
    interfaces.push_back(one.interface + " " + one.address);
    if (one.loopback || is_link_local(one.address) || (wanted.empty() && is_local_bridge(one.interface))) continue;
    if (wanted.empty() || wanted == one.interface || in_network(one.address, wanted)) result.push_back(one.address);
  }
  if (result.empty() && !wanted.empty())
    throw Error(ErrorCode::kUsage, "launcher: no address for --interface=" + wanted + "; this machine has " +
                                       join(interfaces, ", "));
  return result;
}

bool is_this_machine(const std::string& host, const std::vector<LocalAddress>& all) {
  std::string name = lower(host), own = lower(this_host_name());
  if (name == "localhost" || name == own || name == own.substr(0, own.find('.'))) return true;
  const bool plain = !address_bytes(host).empty() && host.find('%') == std::string::npos;
  std::vector<std::string> addresses = plain ? std::vector<std::string>{host} : resolve(host);
  return std::any_of(addresses.begin(), addresses.end(), [&](const std::string& address) {
    std::string bytes = address_bytes(address);
    return std::any_of(all.begin(), all.end(), [&](const LocalAddress& mine) {
      return !bytes.empty() && address_bytes(mine.address) == bytes && !zones_differ(address, mine);
    });
  });
}

}  // namespace ds
