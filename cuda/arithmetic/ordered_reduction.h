// One element of the reduction in the fixed tree of collectives/ordered_sum.h: ((0+1)+(2+3))+4.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/arithmetic/target.h"

namespace ds::arithmetic {

enum class Op { kSum, kMax, kMin };  // in the order of ds::ReduceOp

template <class T>
DS_HOST_DEVICE T combine(Op op, T a, T b) {
  if (op == Op::kSum) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
  const bool first = op == Op::kMax ? a > b : a < b;
  if constexpr (std::is_floating_point_v<T>)
    return first || a != a ? a : b;  // a NaN passes
  else
    return first ? a : b;
}

inline constexpr int kMaxLevels = 24;

// leaves[k * stride]: leaf k, k = 0 ... n - 1. A pair of leaves enters, full neighbours merge, the rest merges from the
// right.
template <class Element>
DS_HOST_DEVICE typename Element::Stored reduce_ordered(const typename Element::Stored* leaves, int64_t stride, int n,
                                                       Op op) {
  typename Element::Wide level[kMaxLevels];
  int depth = 0;
  for (int leaf = 0; leaf < n; leaf += 2) {
    const auto a = Element::widen(leaves[leaf * stride]);
    if (leaf + 1 == n) {
      level[depth++] = a;
      break;
    }
    level[depth++] = combine(op, a, Element::widen(leaves[(leaf + 1) * stride]));
    for (int pair = leaf / 2; pair & 1; pair >>= 1, --depth)
      level[depth - 2] = combine(op, level[depth - 2], level[depth - 1]);
  }
  for (; depth > 1; --depth) level[depth - 2] = combine(op, level[depth - 2], level[depth - 1]);
  return Element::narrow(level[0]);
}

}  // namespace ds::arithmetic
