// Sum of squares of a flat gradient in fp64, block by block of 256 elements, in element order.
#pragma once

namespace at {
class Tensor;
}

namespace ds {

// values: contiguous, fp32 or bf16, a multiple of 256 elements. Within a block eight running sums are added at the end,
// so the order of additions is fixed by the code, not by the vector width.
double block_squares(const at::Tensor& values);

}  // namespace ds
