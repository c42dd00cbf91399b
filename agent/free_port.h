// TCP ports that nobody listens on right now.
#pragma once

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

// 0 when there is none. Another process may take it before it is used. Without bounds the kernel chooses at random, so
// that is rare.
int free_port(const PortRange& range = {}, PortUse use = PortUse::kMeeting);

}  // namespace ds
