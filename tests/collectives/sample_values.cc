#include "tests/collectives/sample_values.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ds::contract {
namespace {

uint64_t mix(uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct Format {
  int fraction_bits, exponent_bits;
};
constexpr Format kBFloat16Format{7, 8};
constexpr Format kFloat16Format{10, 5};

double decode(uint16_t bits, Format f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int exponent = (bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
  const int fraction = bits & ((1 << f.fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << f.exponent_bits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - f.fraction_bits);
  return sign * std::ldexp(fraction + (1 << f.fraction_bits), exponent - bias - f.fraction_bits);
}

// Finite values only; the unit in the last place is that of the value's binade, rounded by the FPU's nearest-even.
uint16_t encode(float value, Format f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : 1 - bias;
  exponent = std::max(exponent, 1 - bias);
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, f.fraction_bits - exponent)));
  // A subnormal has no hidden bit, and rounding up into the next binade carries into the exponent by itself.
  const uint32_t bits = units + (static_cast<uint32_t>(exponent + bias - 1) << f.fraction_bits);
  const uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  return static_cast<uint16_t>(sign | std::min(bits, infinity));
}

template <class T>
T combine(T a, T b, ReduceOp op) {
  if (op == ReduceOp::kSum) return static_cast<T>(a + b);
  return op == ReduceOp::kMax ? std::max(a, b) : std::min(a, b);
}

template <class T, class Get>
T tree(Get get, int first, int num, ReduceOp op) {
  if (num == 1) return get(first);
  const int left = static_cast<int>(std::bit_floor(static_cast<unsigned>(num - 1)));
  return combine<T>(tree<T>(get, first, left, op), tree<T>(get, first + left, num - left, op), op);
}

template <class Stored, class Wide, class Decode, class Encode>
Values reduce(const std::vector<Values>& leaves, ReduceOp op, Decode decode_one, Encode encode_one) {
  Values result(leaves[0].dtype, leaves[0].count);
  for (int64_t i = 0; i < result.count; ++i) {
    auto get = [&](int leaf) {
      Stored stored;
      std::memcpy(&stored, leaves[leaf].bytes.data() + i * sizeof stored, sizeof stored);
      return static_cast<Wide>(decode_one(stored));
    };
    const Stored out = encode_one(tree<Wide>(get, 0, static_cast<int>(leaves.size()), op));
    std::memcpy(result.bytes.data() + i * sizeof out, &out, sizeof out);
  }
  return result;
}

template <class T>
Values reduce_plain(const std::vector<Values>& leaves, ReduceOp op) {
  auto same = [](T x) { return x; };
  return reduce<T, T>(leaves, op, same, same);
}

Values reduce_16(const std::vector<Values>& leaves, ReduceOp op, Format f) {
  return reduce<uint16_t, float>(
      leaves, op, [f](uint16_t x) { return decode(x, f); }, [f](float x) { return encode(x, f); });
}

template <class T>
void store(Values& values, int64_t index, T value) {
  std::memcpy(values.bytes.data() + index * sizeof value, &value, sizeof value);
}

}  // namespace

Values sample(DType dtype, int64_t count, uint64_t seed) {
  Values values(dtype, count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t r = mix(seed * 1000003 + static_cast<uint64_t>(i));
    const double real = std::ldexp(static_cast<double>(r >> 40) / (1 << 24) - 0.5, static_cast<int>(r % 13) - 6);
    switch (dtype) {
      case DType::kFloat32:
        store(values, i, static_cast<float>(real));
        break;
      case DType::kFloat64:
        store(values, i, real);
        break;
      case DType::kBFloat16:
        store(values, i, encode(static_cast<float>(real), kBFloat16Format));
        break;
      case DType::kFloat16:
        store(values, i, encode(static_cast<float>(real), kFloat16Format));
        break;
      case DType::kInt64:
        store(values, i, static_cast<int64_t>(r) >> 8);
        break;
      case DType::kInt32:
        store(values, i, static_cast<int32_t>(r) >> 8);
        break;
      case DType::kUInt16:
        store(values, i, static_cast<uint16_t>(r));
        break;
      case DType::kUInt8:
        store(values, i, static_cast<uint8_t>(r));
        break;
    }
  }
  return values;
}

Values reference_reduction(const std::vector<Values>& leaves, ReduceOp op) {
  switch (leaves[0].dtype) {
    case DType::kFloat32:
      return reduce_plain<float>(leaves, op);
    case DType::kFloat64:
      return reduce_plain<double>(leaves, op);
    case DType::kBFloat16:
      return reduce_16(leaves, op, kBFloat16Format);
    case DType::kFloat16:
      return reduce_16(leaves, op, kFloat16Format);
    case DType::kInt64:
      return reduce_plain<int64_t>(leaves, op);
    case DType::kInt32:
      return reduce_plain<int32_t>(leaves, op);
    case DType::kUInt16:
      return reduce_plain<uint16_t>(leaves, op);
    case DType::kUInt8:
      return reduce_plain<uint8_t>(leaves, op);
  }
  return leaves[0];
}

Values part(const Values& whole, int64_t begin, int64_t count) {
  Values result(whole.dtype, count);
  const size_t size = size_of(whole.dtype);
  if (count > 0) std::memcpy(result.bytes.data(), whole.bytes.data() + begin * size, count * size);
  return result;
}

}  // namespace ds::contract
