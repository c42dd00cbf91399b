// The least that a message can cost here: CPU time of one bare system call that sends or reads it over TCP on this machine.
#pragma once

#include <chrono>
#include <cstddef>

namespace ds::bench {

// Microseconds, the mean of a send and a read of `bytes` over `connections` connections in turn. Throws std::system_error.
double bare_us_per_message(int connections, size_t bytes);

// Wakes up once a period and sends so many bytes over TCP to a child process, for ever: what any heartbeat costs here.
[[noreturn]] void beat_for_ever(std::chrono::milliseconds period, size_t bytes);

}  // namespace ds::bench
