// Host ranges as Slurm writes them: "node[1-3,09]" and several brackets that multiply, "rack[0-1]n[1-2]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

inline constexpr size_t kMaxRangeHosts = 65536;  // of one item, and of a list that may repeat hosts

// The names one item stands for, in the written order; a text without brackets is itself. Leading zeros set the width.
// A text after the last bracket is kept ("n[1-2]-ib"). Throws kUsage on an unclosed, empty, descending, nested, blank
// or non-numeric range, on more than kMaxRangeHosts names or 16 brackets, and on several names of more than 1024 characters.
std::vector<std::string> expand_host_range(std::string_view item);

// Splits at commas and blanks outside brackets; empty parts are left out.
std::vector<std::string> split_host_list(std::string_view list);

}  // namespace ds
