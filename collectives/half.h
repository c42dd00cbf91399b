// 16-bit floats to and from fp32, without branches, so that loops over them become vector code on every machine.
// Rounding is to nearest even; NaN stays NaN, infinities and subnormals are kept.
#pragma once

#include <bit>
#include <cstdint>

namespace ds {

// Inlined into functions that are compiled for several instruction sets; a call would be compiled for one.
#define DS_INLINE inline __attribute__((always_inline))

DS_INLINE float float_of_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

DS_INLINE uint16_t bfloat16_of_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

DS_INLINE float float_of_float16(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, magnitude = bits & 0x7fffu;
  const uint32_t exponent = magnitude >> 10;
  const uint32_t rebias = exponent == 31 ? 224u << 23 : 112u << 23;  // 31 becomes 255
  const uint32_t normal = (magnitude << 13) + rebias;
  const float subnormal = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
  return std::bit_cast<float>(sign | (exponent == 0 ? std::bit_cast<uint32_t>(subnormal) : normal));
}

DS_INLINE uint16_t float16_of_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  // Below 2^-14 the result's unit is 2^-24, which is the last bit of fp32 numbers in [0.5, 1).
  const float small = std::bit_cast<float>(magnitude) + 0.5f;
  const uint32_t subnormal = std::bit_cast<uint32_t>(small) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  const uint32_t large = magnitude > 0x7f800000 ? nan : 0x7c00;  // from 65520 on: infinity
  const uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  return static_cast<uint16_t>(sign | (magnitude >= 0x477ff000 ? large : finite));
}

}  // namespace ds
