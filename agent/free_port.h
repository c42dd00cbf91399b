// TCP ports that nobody listens on right now.
#pragma once

#include <string>
#include <vector>

namespace ds {

// --ports: the first and the last one allowed; 0 = any.
struct PortRange {
  int low = 0, high = 0;
  bool bounded() const { return low > 0; }
  int size() const { return bounded() ? high - low + 1 : 65535; }
  bool operator==(const PortRange&) const = default;
};

// Who takes which end of a range, so that neither takes what the other has looked up but not bound yet: Open MPI's ranks
// go up from the first port; the last free one is for MASTER_PORT; PMIx servers take the next one below it.
enum class PortUse { kMeeting, kServer };

// The larger of the two ranges beside the one that the kernel gives to whoever asks for any port or connects, of which
// `local_range` is the text (/proc/sys/net/ipv4/ip_local_port_range). Unbounded when the text says nothing.
PortRange ports_of_choice(const std::string& local_range);

// 0 when there is none. Nothing holds it until it is used, so without bounds a meeting gets one that nobody is given by chance.
int free_port(const PortRange& range = {}, PortUse use = PortUse::kMeeting);

// As many as there are of a bounded range, from the top.
std::vector<int> free_ports(const PortRange& range, PortUse use, size_t most);

}  // namespace ds
