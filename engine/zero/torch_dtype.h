// DType <-> c10::ScalarType, and tensors as views for the communicator.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "collectives/communicator.h"
#include "topology/dtype.h"

namespace at {
class Tensor;
}

namespace ds {

c10::ScalarType torch_type(DType dtype);
DType dtype_of(c10::ScalarType type);  // throws kInternal for types that no file or message carries

c10::Device torch_device(int cuda_device);  // -1: the CPU

// The memory of a contiguous tensor, on whatever device.
TensorView view_of(const at::Tensor& tensor);

}  // namespace ds
