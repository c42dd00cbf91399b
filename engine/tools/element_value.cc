#include "engine/tools/element_value.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ds {
namespace {

template <class T>
T load(const std::byte* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double size;
  if (exponent == 31)
    size = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else
    size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

}  // namespace

double element_value(const std::byte* data, int64_t index, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return load<float>(data, index);
    case DType::kFloat64:
      return load<double>(data, index);
    case DType::kBFloat16:
      return std::bit_cast<float>(static_cast<uint32_t>(load<uint16_t>(data, index)) << 16);
    case DType::kFloat16:
      return half_value(load<uint16_t>(data, index));
    case DType::kInt64:
      return static_cast<double>(load<int64_t>(data, index));
    case DType::kInt32:
      return load<int32_t>(data, index);
    case DType::kUInt16:
      return load<uint16_t>(data, index);
    case DType::kUInt8:
      return load<uint8_t>(data, index);
  }
  return 0;
}

}  // namespace ds
