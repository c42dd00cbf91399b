// The least that a message can cost here: CPU time of one bare system call that sends or reads it over TCP on this machine.
#pragma once

#include <cstddef>

namespace ds::bench {

// Microseconds, the mean of a send and a read of `bytes` over `connections` connections in turn. Throws std::system_error.
double bare_us_per_message(int connections, size_t bytes);

}  // namespace ds::bench
