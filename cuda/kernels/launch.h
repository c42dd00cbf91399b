// How every kernel maps elements to threads, and types to instances.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/arithmetic/elements.h"

namespace ds::kernels {

inline constexpr int kThreads = 256;
inline constexpr int64_t kMaxBlocks = 1 << 16;  // threads take further elements in strides of the grid

inline int blocks_for(int64_t threads) {
  const int64_t blocks = (threads + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

__device__ inline int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t index_stride() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Values of ds::DType.
enum Type { kFloat32, kBFloat16, kFloat16, kFloat64, kInt64, kInt32, kUInt16, kUInt8 };

// Calls f with the floating element type of up to 32 bits; false for any other.
template <class Function>
bool with_small_float(int dtype, Function f) {
  switch (dtype) {
    case kFloat32: f(arithmetic::Plain<float>()); return true;
    case kBFloat16: f(arithmetic::BFloat16()); return true;
    case kFloat16: f(arithmetic::Float16()); return true;
    default: return false;
  }
}

template <class Function>
bool with_type(int dtype, Function f) {
  switch (dtype) {
    case kFloat64: f(arithmetic::Plain<double>()); return true;
    case kInt64: f(arithmetic::Plain<int64_t>()); return true;
    case kInt32: f(arithmetic::Plain<int32_t>()); return true;
    case kUInt16: f(arithmetic::Plain<uint16_t>()); return true;
    case kUInt8: f(arithmetic::Plain<uint8_t>()); return true;
    default: return with_small_float(dtype, f);
  }
}

inline cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

inline int launched(bool type_known) {
  return type_known ? static_cast<int>(cudaGetLastError()) : static_cast<int>(cudaErrorInvalidValue);
}

}  // namespace ds::kernels
