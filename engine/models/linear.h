// The matrix products of the models, in the dtype of x: y = x W + b on x of any rank, [..., in] -> [..., out], and a b.
//
// In bf16 the sum of each element is fp32 and rounded once, forward and backward, as in every library we know. Where the
// processor has no bf16 product, libtorch falls back to loops that are 5 to 50 times slower than its fp32 product: there
// the operands are widened first, piece by piece; what autograd keeps stays bf16.
#pragma once

#include <ATen/core/Tensor.h>

namespace ds {

// weight [out, in] as torch.nn.Linear has it; bias [out] or undefined.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});
// weight [in, out] as GPT-2's Conv1D has it; bias [out].
at::Tensor conv1d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
// a [..., m, k], b [..., k, n] with the same leading dimensions.
at::Tensor matmul(const at::Tensor& a, const at::Tensor& b);

namespace widened {  // the second way, on any processor: for tests
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor conv1d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor matmul(const at::Tensor& a, const at::Tensor& b);
}  // namespace widened

}  // namespace ds
