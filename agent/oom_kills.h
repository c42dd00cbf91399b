// What the kernel's out-of-memory killer has done on this host.
#pragma once

#include <cstdint>
#include <string>

namespace ds {

// Processes it has killed since the host started, those of memory control groups included; 0 when the kernel does not say.
uint64_t oom_kills();

// The number in the text of /proc/vmstat.
uint64_t oom_kills_in(const std::string& vmstat);

}  // namespace ds
