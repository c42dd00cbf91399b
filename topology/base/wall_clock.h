// The time of day of this machine.
#pragma once

#include <chrono>
#include <cstdint>

namespace ds {

// Nanoseconds since 1970. Clocks of two machines may be minutes apart.
inline uint64_t wall_clock_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace ds
