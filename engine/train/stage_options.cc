#include "engine/train/stage_options.h"

namespace ds {
namespace {

DType dtype_of_precision(Precision precision) {
  switch (precision) {
    case Precision::kFloat32: return DType::kFloat32;
    case Precision::kBFloat16: return DType::kBFloat16;
    case Precision::kFloat16: return DType::kFloat16;
  }
  return DType::kFloat32;
}

}  // namespace

StageOptions stage_options(const Settings& settings, const std::vector<Kind>& optimizer_states) {
  StageOptions options;
  options.stage = settings.zero.stage;
  options.work = dtype_of_precision(settings.precision);
  // Without accumulation there is nothing to add up, and what was summed over ranks has the work dtype anyway.
  const DType accumulating = dtype_of_precision(settings.grad_accum_dtype.value_or(Precision::kFloat32));
  options.gradient = settings.batch.accumulation > 1 ? accumulating : options.work;
  options.optimizer_states = optimizer_states;
  return options;
}

}  // namespace ds
