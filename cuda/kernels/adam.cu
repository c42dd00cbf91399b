// Adam and AdamW over a flat range: unscales the gradient, updates master and states, writes the work copy; every byte
// of the optimizer is read and written once.
#include "cuda/arithmetic/adam.h"
#include "cuda/kernels/kernels.h"
#include "cuda/kernels/launch.h"

namespace ds::kernels {
namespace {

template <class Gradient, class Work>
__global__ void update(DsAdamRange range, arithmetic::AdamFactors factors) {
  const auto* gradient = static_cast<const typename Gradient::Stored*>(range.gradient);
  auto* work = static_cast<typename Work::Stored*>(range.work);
  for (int64_t i = first_index(); i < range.count; i += index_stride()) {
    float weight = range.master[i], exp_avg = range.exp_avg[i], exp_avg_sq = range.exp_avg_sq[i];
    arithmetic::adam_element(weight, exp_avg, exp_avg_sq, Gradient::widen(gradient[i]), factors);
    range.master[i] = weight;
    range.exp_avg[i] = exp_avg;
    range.exp_avg_sq[i] = exp_avg_sq;
    if (work) work[i] = Work::narrow(weight);
  }
}

}  // namespace

int adam(const DsAdamRange* range, const DsAdamStep* step, void* stream) {
  if (range->count == 0) return 0;
  const arithmetic::AdamFactors factors = arithmetic::adam_factors(*step);
  const int work_dtype = range->work ? range->work_dtype : kFloat32;
  bool known = false;
  with_small_float(range->gradient_dtype, [&](auto gradient) {
    known = with_small_float(work_dtype, [&](auto work) {
      update<decltype(gradient), decltype(work)>
          <<<blocks_for(range->count), kThreads, 0, stream_of(stream)>>>(*range, factors);
    });
  });
  return launched(known);
}

}  // namespace ds::kernels
