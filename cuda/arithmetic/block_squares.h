// Sum of squares of a block of 256 in fp64, as engine/zero/gradient_squares.cc adds: eight running sums, then a tree.
#pragma once

#include "cuda/arithmetic/target.h"

namespace ds::arithmetic {

inline constexpr int kSquaresBlock = 256, kSquaresLanes = 8;

// Running sum `lane` of a block: elements lane, lane + 8, ...
template <class Element>
DS_HOST_DEVICE double lane_squares(const typename Element::Stored* block, int lane) {
  double sum = 0;
  for (int i = lane; i < kSquaresBlock; i += kSquaresLanes) {
    const double value = Element::widen(block[i]);
    sum += value * value;
  }
  return sum;
}

}  // namespace ds::arithmetic
