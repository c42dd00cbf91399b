#include "engine/zero/torch_dtype.h"

#include <ATen/core/Tensor.h>

#include "topology/base/error.h"

namespace ds {

c10::ScalarType torch_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return c10::kFloat;
    case DType::kBFloat16: return c10::kBFloat16;
    case DType::kFloat16: return c10::kHalf;
    case DType::kFloat64: return c10::kDouble;
    case DType::kInt64: return c10::kLong;
    case DType::kInt32: return c10::kInt;
    case DType::kUInt16: return c10::kUInt16;
    case DType::kUInt8: return c10::kByte;
  }
  throw Error(ErrorCode::kInternal, "engine: unknown dtype");
}

DType dtype_of(c10::ScalarType type) {
  switch (type) {
    case c10::kFloat: return DType::kFloat32;
    case c10::kBFloat16: return DType::kBFloat16;
    case c10::kHalf: return DType::kFloat16;
    case c10::kDouble: return DType::kFloat64;
    case c10::kLong: return DType::kInt64;
    case c10::kInt: return DType::kInt32;
    case c10::kUInt16: return DType::kUInt16;
    case c10::kByte: return DType::kUInt8;
    default: throw Error(ErrorCode::kInternal, std::string("engine: unsupported tensor type: ") + c10::toString(type));
  }
}

c10::Device torch_device(int cuda_device) {
  if (cuda_device < 0) return c10::Device(c10::DeviceType::CPU);
  return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(cuda_device));
}

TensorView view_of(const at::Tensor& tensor) {
  if (!tensor.is_contiguous()) throw Error(ErrorCode::kInternal, "engine: a tensor to be sent is not contiguous");
  return {tensor.data_ptr(), tensor.numel(), dtype_of(tensor.scalar_type())};
}

}  // namespace ds
