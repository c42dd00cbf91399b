#include "collectives/torch_view.h"

#include <c10/core/ScalarType.h>

#include <sstream>

#include "topology/base/error.h"

namespace ds {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorCode::kInternal, "collectives: " + what + ": " + why);
}

}  // namespace

TensorView view_of(const at::Tensor& tensor, const std::string& what) {
  if (!tensor.defined()) refuse(what, "undefined tensor");
  if (tensor.layout() != at::kStrided) refuse(what, "must be dense");
  if (!tensor.device().is_cpu()) refuse(what, "device=" + tensor.device().str() + ": must be in host memory");
  if (!tensor.is_contiguous()) {
    std::ostringstream shape;
    shape << "sizes=" << tensor.sizes() << " strides=" << tensor.strides() << ": must be contiguous";
    refuse(what, shape.str());
  }
  const DType dtype = dtype_of(tensor.scalar_type());
  return {tensor.numel() == 0 ? nullptr : tensor.data_ptr(), tensor.numel(), dtype};
}

DType dtype_of(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return DType::kFloat32;
    case at::kBFloat16:
      return DType::kBFloat16;
    case at::kHalf:
      return DType::kFloat16;
    case at::kDouble:
      return DType::kFloat64;
    case at::kLong:
      return DType::kInt64;
    case at::kInt:
      return DType::kInt32;
    case at::kUInt16:
      return DType::kUInt16;
    case at::kByte:
      return DType::kUInt8;
    default:
      refuse("dtype=" + std::string(c10::toString(type)), "collectives cannot move this type");
  }
}

at::ScalarType scalar_type_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return at::kFloat;
    case DType::kBFloat16:
      return at::kBFloat16;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kFloat64:
      return at::kDouble;
    case DType::kInt64:
      return at::kLong;
    case DType::kInt32:
      return at::kInt;
    case DType::kUInt16:
      return at::kUInt16;
    case DType::kUInt8:
      return at::kByte;
  }
  return at::kFloat;
}

}  // namespace ds
