// The two list forms of Slurm's environment: node lists and counts per node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds {

// "a,c[1-2],rack[0-1]n[1-2]" -> names; order and duplicates kept. Throws kUsage quoting the item that is wrong.
std::vector<std::string> parse_slurm_nodelist(std::string_view list);

// "2(x3),1" -> 2 2 2 1. Throws kUsage on anything else and on more than 65,536 entries.
std::vector<int> parse_slurm_counts(std::string_view list);

}  // namespace ds
