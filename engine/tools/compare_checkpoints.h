// How two checkpoints differ, tensor by tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"

namespace ds {

struct TensorDifference {
  TensorInfo tensor;
  std::string missing_in;    // "first" or "second": only the other one has it
  std::string other_layout;  // shape and dtype in the second, when they are not those of the first
  // Both have it alike, and bits differ:
  int64_t num_different = 0;   // elements
  int64_t first_different = 0;  // row-major number
  double value_in_first = 0, value_in_second = 0;  // of that element
  double largest = 0;          // absolute difference; NaN when one is NaN on one side only
};

// By name and kind. Empty: equal bit for bit. Reads in pieces of a few MiB; throws kCorrupt as the readers do.
std::vector<TensorDifference> compare_checkpoints(const CheckpointReader& first, const CheckpointReader& second);

}  // namespace ds
