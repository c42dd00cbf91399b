#include "engine/zero/gradient_squares.h"

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>

#include "engine/sharding/unit_layout.h"
#include "topology/base/error.h"

namespace ds {
namespace {

template <typename T>
double block_sum(const T* x) {
  constexpr int kLanes = 8;
  double lane[kLanes] = {};
  for (int64_t i = 0; i < kBlockElements; i += kLanes)
    for (int l = 0; l < kLanes; ++l) {
      const double v = static_cast<float>(x[i + l]);
      lane[l] += v * v;
    }
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

template <typename T>
double sum_blocks(const T* x, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i += kBlockElements) sum += block_sum(x + i);
  return sum;
}

}  // namespace

double block_squares(const at::Tensor& values) {
  if (values.scalar_type() == c10::kFloat) return sum_blocks(values.const_data_ptr<float>(), values.numel());
  if (values.scalar_type() == c10::kBFloat16)
    return sum_blocks(values.const_data_ptr<c10::BFloat16>(), values.numel());
  throw Error(ErrorCode::kInternal, "engine: gradient norm of a dtype that gradients do not have");
}

}  // namespace ds
