// The kernels by themselves: conversions over all 16-bit values, the tree over many group sizes, special values.
#include "collectives/ordered_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "collectives/half.h"
#include "tests/collectives/sample_values.h"

namespace ds {
namespace {

using contract::reference_reduction;
using contract::sample;
using contract::Values;

TEST(OrderedSum, HasTheBitsOfTheSerialTreeForAnyNumberOfLeaves) {
  for (int num = 1; num <= 70; ++num)
    for (DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat64}) {
      std::vector<Values> leaves;
      std::vector<const void*> pointers;
      for (int leaf = 0; leaf < num; ++leaf) leaves.push_back(sample(dtype, 300, static_cast<uint64_t>(leaf)));
      for (const Values& leaf : leaves) pointers.push_back(leaf.bytes.data());
      Values out(dtype, 300);
      reduce_in_order(out.bytes.data(), pointers, 300, dtype, ReduceOp::kSum);
      EXPECT_EQ(out, reference_reduction(leaves, ReduceOp::kSum)) << num << " leaves of " << name_of(dtype);
    }
}

TEST(OrderedSum, MayWriteOverOneOfItsLeaves) {
  std::vector<Values> leaves{sample(DType::kFloat32, 1000, 1), sample(DType::kFloat32, 1000, 2),
                             sample(DType::kFloat32, 1000, 3)};
  const Values expected = reference_reduction(leaves, ReduceOp::kSum);
  const std::vector<const void*> pointers{leaves[0].bytes.data(), leaves[1].bytes.data(), leaves[2].bytes.data()};
  reduce_in_order(leaves[1].bytes.data(), pointers, 1000, DType::kFloat32, ReduceOp::kSum);
  EXPECT_EQ(leaves[1], expected);
}

TEST(OrderedSum, RoundsOnceAndNotAtEveryStep) {
  // In bfloat16 256 + 1 is 256 again; the four values add up to 258 only in a wider type.
  const uint16_t big = 0x4380, one = 0x3f80, zero = 0;
  const std::vector<const void*> pointers{&big, &one, &one, &zero};
  uint16_t out = 0;
  reduce_in_order(&out, pointers, 1, DType::kBFloat16, ReduceOp::kSum);
  EXPECT_EQ(float_of_bfloat16(out), 258.0f);
}

TEST(OrderedSum, MaximumAndMinimumPassNanOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), one = 1, two = 2;
  for (const auto& pointers : {std::vector<const void*>{&nan, &one, &two}, {&one, &nan, &two}, {&one, &two, &nan}})
    for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
      float out = 0;
      reduce_in_order(&out, pointers, 1, DType::kFloat32, op);
      EXPECT_TRUE(std::isnan(out));
    }
}

TEST(Half, EveryFloat16SurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const uint16_t back = float16_of_float(float_of_float16(half));
    const bool nan = (half & 0x7fff) > 0x7c00;
    ASSERT_EQ(back, nan ? half | 0x200 : half) << std::hex << bits;
    ASSERT_EQ(std::isnan(float_of_float16(half)), nan);
  }
}

TEST(Half, EveryBfloat16SurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const bool nan = (half & 0x7fff) > 0x7f80;
    ASSERT_EQ(bfloat16_of_float(float_of_bfloat16(half)), nan ? half | 0x40 : half) << std::hex << bits;
  }
}

TEST(Half, KnownFloat16Values) {
  EXPECT_EQ(float_of_float16(0x3c00), 1.0f);
  EXPECT_EQ(float_of_float16(0x0001), 0x1p-24f);
  EXPECT_EQ(float_of_float16(0x7bff), 65504.0f);
  EXPECT_TRUE(std::isinf(float_of_float16(0xfc00)));
}

// Between neighbours the nearer one wins, halfway the even one; overflow begins at 65520.
TEST(Half, RoundsToNearestEven) {
  for (uint16_t low = 0; low < 0x7bff; ++low) {
    const float a = float_of_float16(low), b = float_of_float16(low + 1), middle = a + (b - a) / 2;
    ASSERT_EQ(float16_of_float(middle), low % 2 == 0 ? low : low + 1) << low;
    ASSERT_EQ(float16_of_float(std::nextafter(middle, a)), low);
    ASSERT_EQ(float16_of_float(-std::nextafter(middle, b)), (low + 1) | 0x8000);
  }
  EXPECT_EQ(float16_of_float(65519.9f), 0x7bff);
  EXPECT_EQ(float16_of_float(65520.0f), 0x7c00);
  EXPECT_EQ(float16_of_float(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(bfloat16_of_float(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(bfloat16_of_float(std::numeric_limits<float>::max()), 0x7f80);
}

}  // namespace
}  // namespace ds
