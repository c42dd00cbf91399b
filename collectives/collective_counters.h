// Where a rank shows to who looks from outside how far its collectives are. Written with relaxed stores by the thread that
// communicates; borrowed; nullptr = nobody looks.
#pragma once

#include <atomic>
#include <cstdint>

namespace ds {

struct CollectiveCounters {
  std::atomic<uint64_t>* entered = nullptr;  // operations of all ranks of the world, on whichever group of that size
  std::atomic<uint64_t>* done = nullptr;     // of those entered
  std::atomic<uint64_t>* moved = nullptr;    // grows with messages that arrive or leave, on any group
};

}  // namespace ds
