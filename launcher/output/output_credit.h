// How much output of the ranks may be on its way to the launcher, and when to tell a host that more may come. Pure. The
// other side is agent/output_window.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ds {

// The window of each of so many hosts: all of them together stay below 64 MiB, as long as there are at most 1,024.
inline uint64_t output_window_bytes(size_t num_hosts) {
  constexpr uint64_t kAll = 64u << 20, kLeast = 64u << 10, kMost = 4u << 20;
  return std::clamp<uint64_t>(kAll / std::max<size_t>(num_hosts, 1), kLeast, kMost);
}

class OutputCredit {
 public:
  OutputCredit() = default;
  OutputCredit(size_t num_hosts, uint64_t window) : window_(window), received_(num_hosts), told_(num_hosts) {}

  void received(int host, uint64_t bytes) { received_[static_cast<size_t>(host)] += bytes; }
  // Worth a message: a quarter of the window.
  bool due(int host) const {
    return received_[static_cast<size_t>(host)] - told_[static_cast<size_t>(host)] >= window_ / 4;
  }
  // The total to tell the host, which counts as told.
  uint64_t tell(int host) { return told_[static_cast<size_t>(host)] = received_[static_cast<size_t>(host)]; }

 private:
  uint64_t window_ = 0;
  std::vector<uint64_t> received_, told_;  // by host, so far
};

}  // namespace ds
