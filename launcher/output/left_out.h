// Lines of ranks that a terminal got no sight of, because it did not keep up. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/control/rank_table.h"

namespace ds {

class LeftOut {
 public:
  bool any() const { return !lines_.empty(); }
  void add(int rank, std::string_view data) {
    uint64_t lines = static_cast<uint64_t>(std::count(data.begin(), data.end(), '\n'));
    lines_[rank] += lines + (data.ends_with('\n') ? 0 : 1);
  }
  void clear() { lines_.clear(); }

  // "the terminal did not keep up: 120 lines of ranks 0-2 are left out here and complete in FOLDER"
  std::string text(const std::string& folder) const {
    uint64_t lines = 0;
    std::vector<int> ranks;
    for (const auto& [rank, count] : lines_) {
      lines += count;
      ranks.push_back(rank);
    }
    return "the terminal did not keep up: " + std::to_string(lines) + (lines == 1 ? " line" : " lines") + " of " +
           (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks) + (lines == 1 ? " is" : " are") +
           " left out here and complete in " + folder;
  }

 private:
  std::map<int, uint64_t> lines_;  // by rank
};

}  // namespace ds
