// The kernels' formulas, compiled for the CPU, against the project's own.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "collectives/half.h"
#include "collectives/ordered_sum.h"
#include "cuda/arithmetic/elements.h"
#include "cuda/arithmetic/ordered_reduction.h"
#include "tests/collectives/sample_values.h"

namespace ds {
namespace {

namespace arith = arithmetic;
using contract::sample;
using contract::Values;

TEST(CudaElements, EverySixteenBitValueWidensAsOnTheCpu) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    ASSERT_EQ(arith::bits_of(arith::widen_bfloat16(half)), std::bit_cast<uint32_t>(float_of_bfloat16(half))) << bits;
    ASSERT_EQ(arith::bits_of(arith::widen_float16(half)), std::bit_cast<uint32_t>(float_of_float16(half))) << bits;
  }
}

TEST(CudaElements, FloatsRoundAsOnTheCpu) {
  uint32_t bits = 0;
  for (int i = 0; i < 2'000'000; ++i, bits += 2147u) {  // through all exponents, signs, NaNs; odd steps
    const float value = std::bit_cast<float>(bits);
    ASSERT_EQ(arith::round_bfloat16(value), bfloat16_of_float(value)) << bits;
    ASSERT_EQ(arith::round_float16(value), float16_of_float(value)) << bits;
  }
  for (uint32_t near : {0x38800000u, 0x477ff000u, 0x33000000u, 0x7f800000u, 0x7fc00000u, 0x33800000u})
    for (uint32_t d = 0; d < 64; ++d) {
      const float value = std::bit_cast<float>(near - 32 + d);
      ASSERT_EQ(arith::round_float16(value), float16_of_float(value));
      ASSERT_EQ(arith::round_bfloat16(value), bfloat16_of_float(value));
    }
}

template <class Element>
void compare(DType dtype) {
  using Stored = typename Element::Stored;
  constexpr int64_t kCount = 37;
  for (int n = 1; n <= 33; ++n) {
    std::vector<Stored> leaves(n * kCount), expected(kCount);
    std::vector<const void*> pieces;
    for (int k = 0; k < n; ++k) {
      const Values values = sample(dtype, kCount, static_cast<uint64_t>(100 * n + k));
      memcpy(leaves.data() + k * kCount, values.bytes.data(), values.bytes.size());
      pieces.push_back(leaves.data() + k * kCount);
    }
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin}) {
      reduce_in_order(expected.data(), pieces, kCount, dtype, op);
      for (int64_t i = 0; i < kCount; ++i) {
        const Stored result = arith::reduce_ordered<Element>(leaves.data() + i, kCount, n, static_cast<arith::Op>(op));
        ASSERT_EQ(memcmp(&result, &expected[i], sizeof result), 0) << name_of(dtype) << " of " << n << " at " << i;
      }
    }
  }
}

TEST(CudaOrderedReduction, HasTheBitsOfTheHostsForEveryType) {
  compare<arith::Plain<float>>(DType::kFloat32);
  compare<arith::BFloat16>(DType::kBFloat16);
  compare<arith::Float16>(DType::kFloat16);
  compare<arith::Plain<double>>(DType::kFloat64);
  compare<arith::Plain<int64_t>>(DType::kInt64);
  compare<arith::Plain<int32_t>>(DType::kInt32);
  compare<arith::Plain<uint16_t>>(DType::kUInt16);
  compare<arith::Plain<uint8_t>>(DType::kUInt8);
}

}  // namespace
}  // namespace ds
