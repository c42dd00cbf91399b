// Squares for the gradient norm: eight threads a block of 256 elements, then the tree of the CPU's code. Multiplying in
// fp64 is exact for values of up to 32 bits, so the bits are the CPU's.
#include "cuda/arithmetic/block_squares.h"

#include "cuda/kernels/kernels.h"
#include "cuda/kernels/launch.h"

namespace ds::kernels {
namespace {

using arithmetic::kSquaresBlock;
using arithmetic::kSquaresLanes;

template <class Element>
__global__ void squares(const typename Element::Stored* values, int64_t num_blocks, double* sums) {
  const int64_t stride = index_stride() / kSquaresLanes;
  const int lane = static_cast<int>(threadIdx.x) % kSquaresLanes;
  const unsigned group = 0xffu << (threadIdx.x % 32 / kSquaresLanes * kSquaresLanes);
  for (int64_t block = first_index() / kSquaresLanes; block < num_blocks; block += stride) {
    double sum = arithmetic::lane_squares<Element>(values + block * kSquaresBlock, lane);
    for (int distance = 1; distance < kSquaresLanes; distance *= 2) sum += __shfl_xor_sync(group, sum, distance);
    if (lane == 0) sums[block] = sum;
  }
}

}  // namespace

int block_squares(const void* values, int dtype, int64_t count, double* sums, void* stream) {
  if (count % kSquaresBlock != 0) return cudaErrorInvalidValue;
  const int64_t num_blocks = count / kSquaresBlock;
  if (num_blocks == 0) return 0;
  return launched(with_small_float(dtype, [&](auto element) {
    using Element = decltype(element);
    squares<Element><<<blocks_for(num_blocks * kSquaresLanes), kThreads, 0, stream_of(stream)>>>(
        static_cast<const typename Element::Stored*>(values), num_blocks, sums);
  }));
}

}  // namespace ds::kernels
