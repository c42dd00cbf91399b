// Which shared libraries an ELF program asks for by itself.
#pragma once

#include <string>
#include <vector>

namespace ds {

// The NEEDED entries of a file; empty for scripts, static programs, foreign word sizes and anything damaged.
std::vector<std::string> needed_libraries(const std::string& path);

bool links_mpi(const std::string& path);  // needs libmpi.so.* directly

}  // namespace ds
