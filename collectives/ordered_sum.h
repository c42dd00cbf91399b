// Reductions whose bits depend on nothing but the values and their order.
#pragma once

#include <cstdint>
#include <span>

#include "collectives/communicator.h"

namespace ds {

// out[i] = the reduction over leaves[0][i], leaves[1][i], …: neighbours first, then neighbours of those, an odd one
// moves up: ((0+1)+(2+3))+4. Floating sums are computed in fp32 (fp64 for float64) and rounded once, to nearest even;
// integers wrap. Maximum and minimum pass a NaN on. `out` may be one of the leaves, else nothing overlaps.
void reduce_in_order(void* out, std::span<const void* const> leaves, int64_t count, DType dtype, ReduceOp op);

}  // namespace ds
