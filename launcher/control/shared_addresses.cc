#include "launcher/control/shared_addresses.h"

#include <algorithm>
#include <map>
#include <set>

namespace ds {

void keep_shared_addresses(std::vector<Host>& hosts, const std::vector<std::string>& contact, bool keep_first) {
  std::set<std::set<std::string>> machines;
  for (const Host& host : hosts) machines.emplace(host.addresses.begin(), host.addresses.end());
  std::map<std::string, int> owners;
  for (const auto& addresses : machines)
    for (const std::string& address : addresses) ++owners[address];
  for (size_t host = 0; host < hosts.size(); ++host) {
    std::vector<std::string>& addresses = hosts[host].addresses;
    std::erase_if(addresses, [&](const std::string& address) { return owners[address] > 1; });
    if (keep_first || host >= contact.size()) continue;
    std::stable_partition(addresses.begin(), addresses.end(), [&](const std::string& a) { return a == contact[host]; });
  }
}

}  // namespace ds
