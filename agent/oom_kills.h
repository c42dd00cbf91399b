// What the kernel's out-of-memory killer has done on this host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ds {

// Processes it has killed since the host started, those of memory control groups included; 0 when the kernel does not say.
uint64_t oom_kills();

// The number in the text of /proc/vmstat.
uint64_t oom_kills_in(const std::string& vmstat);

// How a sweep tells its launcher, on stderr, and the number in that text; 0 = it does not say. Login files may have
// written before it and after.
std::string oom_kills_line(uint64_t kills);
uint64_t oom_kills_told(std::string_view text);

// For messages about what a SIGKILL ended on a host where that happened.
inline constexpr const char* kMemoryRanOut = "the kernel's out-of-memory killer acted on that host meanwhile";

}  // namespace ds
