// Lists of CPU numbers as people write them: "0,4-6".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

inline constexpr int kMaxCpu = 65535;

// Numbers and ranges separated by commas, in the written order, each CPU at most once. Throws kUsage quoting the part
// that is wrong; an empty list is wrong too.
std::vector<int> parse_cpu_list(std::string_view text);

// {0,1,2,5} -> "0-2,5"; the given order is kept.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace ds
