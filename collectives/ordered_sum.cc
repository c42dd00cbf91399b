#include "collectives/ordered_sum.h"

#include <algorithm>
#include <type_traits>

#include "collectives/half.h"

// One version of the kernels per instruction set, chosen at load time (set by CMake where the compiler can). There is no
// multiplication to contract and no order to change, so all versions give the same bits.
#ifndef DS_KERNEL_VERSIONS
#define DS_KERNEL_VERSIONS
#endif

namespace ds {
namespace {

constexpr int64_t kBlock = 256;  // elements; the levels of a block stay in the first-level cache
constexpr int kMaxLevels = 24;

struct BFloat16 {
  using Stored = uint16_t;
  using Wide = float;
  static DS_INLINE float widen(uint16_t x) { return float_of_bfloat16(x); }
  static DS_INLINE uint16_t narrow(float x) { return bfloat16_of_float(x); }
};
struct Float16 {
  using Stored = uint16_t;
  using Wide = float;
  static DS_INLINE float widen(uint16_t x) { return float_of_float16(x); }
  static DS_INLINE uint16_t narrow(float x) { return float16_of_float(x); }
};
template <class T>
struct Plain {
  using Stored = T;
  using Wide = T;
  static DS_INLINE T widen(T x) { return x; }
  static DS_INLINE T narrow(T x) { return x; }
};

template <ReduceOp op, class T>
DS_INLINE T combine(T a, T b) {
  if constexpr (op == ReduceOp::kSum) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  } else {
    const bool first = op == ReduceOp::kMax ? a > b : a < b;
    if constexpr (std::is_floating_point_v<T>)
      return (first | (a != a)) ? a : b;
    else
      return first ? a : b;
  }
}

// The tree over one block by a stack: a pair of leaves enters, full neighbours merge, the rest merges from the right.
template <class Element, ReduceOp op>
DS_INLINE void reduce_block(typename Element::Stored* out, std::span<const void* const> leaves, int64_t offset,
                            int64_t length) {
  using Stored = typename Element::Stored;
  using Wide = typename Element::Wide;
  alignas(64) Wide level[kMaxLevels][kBlock];
  const int num_leaves = static_cast<int>(leaves.size());
  int depth = 0;
  for (int leaf = 0; leaf < num_leaves; leaf += 2) {
    const Stored* a = static_cast<const Stored*>(leaves[leaf]) + offset;
    Wide* top = level[depth++];
    if (leaf + 1 == num_leaves) {
      for (int64_t i = 0; i < length; ++i) top[i] = Element::widen(a[i]);
      break;
    }
    const Stored* b = static_cast<const Stored*>(leaves[leaf + 1]) + offset;
    for (int64_t i = 0; i < length; ++i) top[i] = combine<op>(Element::widen(a[i]), Element::widen(b[i]));
    for (int pair = leaf / 2; pair & 1; pair >>= 1, --depth)
      for (int64_t i = 0; i < length; ++i)
        level[depth - 2][i] = combine<op>(level[depth - 2][i], level[depth - 1][i]);
  }
  for (; depth > 1; --depth)
    for (int64_t i = 0; i < length; ++i) level[depth - 2][i] = combine<op>(level[depth - 2][i], level[depth - 1][i]);
  for (int64_t i = 0; i < length; ++i) out[i] = Element::narrow(level[0][i]);
}

template <class Element, ReduceOp op>
DS_INLINE void reduce_blocks(void* out, std::span<const void* const> leaves, int64_t count) {
  auto* to = static_cast<typename Element::Stored*>(out);
  for (int64_t offset = 0; offset < count; offset += kBlock)
    reduce_block<Element, op>(to + offset, leaves, offset, std::min(kBlock, count - offset));
}

template <class Element>
void reduce_elements(void* out, std::span<const void* const> leaves, int64_t count, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return reduce_blocks<Element, ReduceOp::kSum>(out, leaves, count);
    case ReduceOp::kMax:
      return reduce_blocks<Element, ReduceOp::kMax>(out, leaves, count);
    case ReduceOp::kMin:
      return reduce_blocks<Element, ReduceOp::kMin>(out, leaves, count);
  }
}

using Leaves = std::span<const void* const>;

}  // namespace

// What training sums day and night. Versioned functions need external linkage.
namespace ordered_sum_kernels {
DS_KERNEL_VERSIONS void float32(void* out, Leaves leaves, int64_t count) {
  reduce_blocks<Plain<float>, ReduceOp::kSum>(out, leaves, count);
}
DS_KERNEL_VERSIONS void bfloat16(void* out, Leaves leaves, int64_t count) {
  reduce_blocks<BFloat16, ReduceOp::kSum>(out, leaves, count);
}
DS_KERNEL_VERSIONS void float16(void* out, Leaves leaves, int64_t count) {
  reduce_blocks<Float16, ReduceOp::kSum>(out, leaves, count);
}
}  // namespace ordered_sum_kernels

void reduce_in_order(void* out, Leaves leaves, int64_t count, DType dtype, ReduceOp op) {
  if (op == ReduceOp::kSum && dtype == DType::kFloat32) return ordered_sum_kernels::float32(out, leaves, count);
  if (op == ReduceOp::kSum && dtype == DType::kBFloat16) return ordered_sum_kernels::bfloat16(out, leaves, count);
  if (op == ReduceOp::kSum && dtype == DType::kFloat16) return ordered_sum_kernels::float16(out, leaves, count);
  switch (dtype) {
    case DType::kFloat32:
      return reduce_elements<Plain<float>>(out, leaves, count, op);
    case DType::kFloat64:
      return reduce_elements<Plain<double>>(out, leaves, count, op);
    case DType::kBFloat16:
      return reduce_elements<BFloat16>(out, leaves, count, op);
    case DType::kFloat16:
      return reduce_elements<Float16>(out, leaves, count, op);
    case DType::kInt64:
      return reduce_elements<Plain<int64_t>>(out, leaves, count, op);
    case DType::kInt32:
      return reduce_elements<Plain<int32_t>>(out, leaves, count, op);
    case DType::kUInt16:
      return reduce_elements<Plain<uint16_t>>(out, leaves, count, op);
    case DType::kUInt8:
      return reduce_elements<Plain<uint8_t>>(out, leaves, count, op);
  }
}

}  // namespace ds
