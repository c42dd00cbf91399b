// Tensors of libtorch as the plain memory that collectives move.
#pragma once

#include <ATen/core/Tensor.h>

#include "collectives/communicator.h"

namespace ds {

// The tensor's own memory, all of it; the tensor must outlive the view's use. Throws kInternal unless it is dense,
// contiguous, in host memory and of a type that DType knows; `what` names it in the message.
TensorView view_of(const at::Tensor& tensor, const std::string& what = "tensor");

DType dtype_of(at::ScalarType type);       // throws kInternal for a type that DType does not know
at::ScalarType scalar_type_of(DType dtype);

}  // namespace ds
