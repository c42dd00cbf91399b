// Which addresses of the hosts mean one host only, and under which each is known to work. Pure.
#pragma once

#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// Takes addresses out that several hosts have (bridges of containers, private networks that are the same on every host): to
// a rank on another host they mean that host itself. Hosts with the same set of addresses are one machine and count
// once. Unless `keep_first` (the user named an interface, whose addresses come first), puts in front the address at
// which the host is in contact with the launcher, if it has that one.
void keep_shared_addresses(std::vector<Host>& hosts, const std::vector<std::string>& contact, bool keep_first);

}  // namespace ds
