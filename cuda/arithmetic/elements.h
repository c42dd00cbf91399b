// Element types as the kernels see them: how each is stored, computed with and rounded. The same formulas as
// collectives/half.h, which is C++20 and vectorised; a test compares all 16-bit values.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/arithmetic/target.h"

namespace ds::arithmetic {

DS_HOST_DEVICE uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
DS_HOST_DEVICE float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

DS_HOST_DEVICE float widen_bfloat16(uint16_t bits) { return float_of(static_cast<uint32_t>(bits) << 16); }

DS_HOST_DEVICE uint16_t round_bfloat16(float value) {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

DS_HOST_DEVICE float widen_float16(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu, exponent = magnitude >> 10;
  if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(magnitude) * 0x1p-24f));
  const uint32_t rebias = exponent == 31 ? 224u << 23 : 112u << 23;
  return float_of(sign | ((magnitude << 13) + rebias));
}

DS_HOST_DEVICE uint16_t round_float16(float value) {
  const uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t result;
  if (magnitude > 0x7f800000)
    result = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  else if (magnitude >= 0x477ff000)  // from 65520 on: infinity
    result = 0x7c00;
  else if (magnitude < (113u << 23))  // subnormal: the result's unit is the last bit of fp32 in [0.5, 1)
    result = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  else
    result = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  return static_cast<uint16_t>(sign | result);
}

template <class T>
struct Plain {
  using Stored = T;
  using Wide = T;
  static DS_HOST_DEVICE T widen(T x) { return x; }
  static DS_HOST_DEVICE T narrow(T x) { return x; }
};
struct BFloat16 {
  using Stored = uint16_t;
  using Wide = float;
  static DS_HOST_DEVICE float widen(uint16_t x) { return widen_bfloat16(x); }
  static DS_HOST_DEVICE uint16_t narrow(float x) { return round_bfloat16(x); }
};
struct Float16 {
  using Stored = uint16_t;
  using Wide = float;
  static DS_HOST_DEVICE float widen(uint16_t x) { return widen_float16(x); }
  static DS_HOST_DEVICE uint16_t narrow(float x) { return round_float16(x); }
};

}  // namespace ds::arithmetic
