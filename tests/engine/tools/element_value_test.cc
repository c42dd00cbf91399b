#include "engine/tools/element_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace ds {
namespace {

template <class T>
double value_of(T value, DType dtype) {
  std::vector<std::byte> bytes(sizeof(T) + 1 + sizeof(T));  // element 1 of an unaligned array
  std::memcpy(bytes.data() + 1 + sizeof(T), &value, sizeof(T));
  return element_value(bytes.data() + 1, 1, dtype);
}

TEST(ElementValue, ReadsEveryType) {
  EXPECT_EQ(value_of(1.5f, DType::kFloat32), 1.5);
  EXPECT_EQ(value_of(-2.25, DType::kFloat64), -2.25);
  EXPECT_EQ(value_of(int64_t{-7}, DType::kInt64), -7);
  EXPECT_EQ(value_of(int32_t{-7}, DType::kInt32), -7);
  EXPECT_EQ(value_of(uint16_t{65535}, DType::kUInt16), 65535);
  EXPECT_EQ(value_of(uint8_t{255}, DType::kUInt8), 255);
  EXPECT_EQ(value_of(uint16_t{0xC049}, DType::kBFloat16), -3.140625);
}

// IEEE 754 binary16.
TEST(ElementValue, ReadsHalfPrecision) {
  EXPECT_EQ(value_of(uint16_t{0x3C00}, DType::kFloat16), 1.0);
  EXPECT_EQ(value_of(uint16_t{0xC000}, DType::kFloat16), -2.0);
  EXPECT_EQ(value_of(uint16_t{0x7BFF}, DType::kFloat16), 65504.0);
  EXPECT_EQ(value_of(uint16_t{0x0001}, DType::kFloat16), std::ldexp(1.0, -24));
  EXPECT_EQ(value_of(uint16_t{0x0400}, DType::kFloat16), std::ldexp(1.0, -14));
  EXPECT_TRUE(std::isinf(value_of(uint16_t{0x7C00}, DType::kFloat16)));
  EXPECT_TRUE(std::isnan(value_of(uint16_t{0x7E00}, DType::kFloat16)));
}

}  // namespace
}  // namespace ds
