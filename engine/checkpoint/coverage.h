// Do pieces cover a tensor exactly once? The rule for what ranks save and for what a manifest says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

struct OwnedRange {
  int64_t offset = 0, count = 0;
  std::string owner;  // "rank 3" or a file's name: for messages
};

// The first fault, as text without the tensor's name ("elements [8, 16) are in no piece"), or "" when the ranges are
// exactly [0, total). Order does not matter; empty ranges are ignored.
std::string coverage_problem(std::vector<OwnedRange> ranges, int64_t total);

}  // namespace ds
