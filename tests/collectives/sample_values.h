// Tensors with known contents, and the slow, obvious reduction that the fast one is compared with.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "collectives/communicator.h"

namespace ds::contract {

// A buffer of any element type; equal when the bits are.
struct Values {
  DType dtype = DType::kFloat32;
  int64_t count = 0;
  std::vector<unsigned char> bytes;

  Values(DType t, int64_t n) : dtype(t), count(n), bytes(static_cast<size_t>(n) * size_of(t), 0) {}
  TensorView view() { return {bytes.data(), count, dtype}; }
  ConstTensorView view() const { return {bytes.data(), count, dtype}; }
  TensorView slice(int64_t begin, int64_t n) { return {bytes.data() + begin * size_of(dtype), n, dtype}; }
  bool operator==(const Values& other) const { return dtype == other.dtype && bytes == other.bytes; }
};

// Values of many magnitudes and both signs, so that the order of a sum shows; a function of (seed, index).
Values sample(DType dtype, int64_t count, uint64_t seed);

// One element at a time: recursion over halves whose left one is the largest power of two below the number of leaves,
// scalar conversions written from the definition of the formats.
Values reference_reduction(const std::vector<Values>& leaves, ReduceOp op);

Values part(const Values& whole, int64_t begin, int64_t count);

}  // namespace ds::contract
