// What an agent is told on its stdin before anything else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace ds {

namespace control {
class Bootstrap;
}

std::string encode_bootstrap(const control::Bootstrap& bootstrap);  // 4 bytes little-endian length + message

// 4 bytes little-endian length + body, both ways. Reading takes exactly one; throws kUsage or kDeadline.
std::string with_length(const std::string& body);
std::string read_with_length(int fd, std::chrono::milliseconds limit);

// Reads exactly one; what follows on the descriptor stays there. Throws kUsage (not a bootstrap, bad job id) or
// kDeadline.
control::Bootstrap read_bootstrap(int fd, std::chrono::milliseconds limit);

// Position of this host among the names, by its full or short name; nullopt if it is not there or there twice.
std::optional<uint32_t> find_own_index(const control::Bootstrap& bootstrap, const std::string& host_name);

}  // namespace ds
