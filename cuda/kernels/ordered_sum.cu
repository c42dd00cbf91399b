// The owner's sum of the pieces of all ranks, in their order.
#include "cuda/arithmetic/ordered_reduction.h"
#include "cuda/kernels/kernels.h"
#include "cuda/kernels/launch.h"

namespace ds::kernels {
namespace {

template <class Element>
__global__ void reduce(typename Element::Stored* out, const typename Element::Stored* leaves, int n, int64_t count,
                       arithmetic::Op op) {
  for (int64_t i = first_index(); i < count; i += index_stride())
    out[i] = arithmetic::reduce_ordered<Element>(leaves + i, count, n, op);
}

}  // namespace

int ordered_sum(void* out, const void* leaves, int n, int64_t count, int dtype, int op, void* stream) {
  if (count == 0) return 0;
  return launched(with_type(dtype, [&](auto element) {
    using Element = decltype(element);
    using Stored = typename Element::Stored;
    reduce<Element><<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(
        static_cast<Stored*>(out), static_cast<const Stored*>(leaves), n, count, static_cast<arithmetic::Op>(op));
  }));
}

}  // namespace ds::kernels
