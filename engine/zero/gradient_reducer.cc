#include "engine/zero/gradient_reducer.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "engine/zero/gradient_squares.h"
#include "engine/zero/torch_dtype.h"

namespace ds {

GradientReducer::GradientReducer(ParameterStore& store) : store_(store), scatter_(store.options().stage >= 2) {
  int64_t largest = kBlockElements;
  for (const UnitLayout& layout : store_.layouts()) {
    units_.push_back({-1, std::vector<char>(layout.slots.size(), 0), false});
    largest = std::max(largest, layout.padded);
  }
  if (scatter_) buckets_ = std::make_unique<SlotPool>(largest, store_.options().work, store_.device());
}

at::Tensor GradientReducer::memory(int unit) {
  if (!scatter_) return store_.arena(Kind::kGradient).unit(unit);
  UnitState& state = units_[unit];
  const int64_t elements = store_.layouts()[unit].padded;
  if (state.slot < 0) state.slot = buckets_->acquire(elements);
  return buckets_->buffer(state.slot, elements);
}

void GradientReducer::take(int parameter) {
  const at::Tensor& tensor = store_.tensor(parameter);
  if (!tensor.grad().defined()) return;
  add(parameter, tensor.grad());
  tensor.mutable_grad().reset();
}

void GradientReducer::add(int parameter, const at::Tensor& gradient) {
  at::NoGradGuard no_grad;
  const int unit = store_.unit_of(parameter);
  const int index = store_.slot_of(parameter);
  const Slot& slot = store_.layouts()[unit].slots[index];
  at::Tensor target = memory(unit).narrow(0, slot.offset, slot.count).view(gradient.sizes());
  if (units_[unit].touched[index])
    target.add_(gradient);
  else
    target.copy_(gradient);
  units_[unit].touched[index] = 1;
}

// Padding and parameters that got no gradient count as zeros.
void GradientReducer::zero_untouched(int unit, at::Tensor memory) {
  const UnitLayout& layout = store_.layouts()[unit];
  int64_t end = 0;
  for (size_t s = 0; s < layout.slots.size(); ++s) {
    const Slot& slot = layout.slots[s];
    if (slot.offset > end) memory.narrow(0, end, slot.offset - end).zero_();
    if (!units_[unit].touched[s]) memory.narrow(0, slot.offset, slot.count).zero_();
    end = slot.offset + slot.count;
  }
  if (layout.padded > end) memory.narrow(0, end, layout.padded - end).zero_();
}

void GradientReducer::finish_unit(int unit) {
  if (!scatter_) return;
  at::NoGradGuard no_grad;
  UnitState& state = units_[unit];
  at::Tensor bucket = memory(unit);
  zero_untouched(unit, bucket);
  Communicator& group = store_.group();
  const int64_t shard = store_.layouts()[unit].shard();
  at::Tensor own = bucket.narrow(0, group.rank() * shard, shard);
  if (group.size() > 1) group.reduce_scatter(view_of(bucket), view_of(own)).wait();
  at::Tensor sum = store_.arena(Kind::kGradient).unit(unit);
  if (state.reduced_before)
    sum.add_(own);
  else
    sum.copy_(own);
  state.reduced_before = true;
  std::fill(state.touched.begin(), state.touched.end(), 0);
  buckets_->release(state.slot);
  state.slot = -1;
}

void GradientReducer::finish_step() {
  if (scatter_) return;
  at::NoGradGuard no_grad;
  Communicator& group = store_.group();
  const auto wire = torch_type(store_.options().work);
  for (int u = 0; u < store_.num_units(); ++u) {
    at::Tensor sum = memory(u);
    zero_untouched(u, sum);
    if (group.size() == 1) continue;
    const int64_t shard = store_.layouts()[u].shard();
    const int64_t begin = group.rank() * shard;
    at::Tensor travelling = sum.to(wire);  // the same tensor when the dtype is the same
    at::Tensor own = travelling.narrow(0, begin, shard);
    group.reduce_scatter(view_of(travelling), view_of(own)).wait();
    if (store_.options().stage == 0) group.all_gather(view_of(own), view_of(travelling)).wait();
    if (travelling.scalar_type() == sum.scalar_type()) continue;
    if (store_.options().stage == 0)
      sum.copy_(travelling);
    else
      sum.narrow(0, begin, shard).copy_(own);
  }
}

at::Tensor GradientReducer::reduced(int unit) {
  at::Tensor sum = store_.arena(Kind::kGradient).unit(unit);
  if (store_.options().stage != 1) return sum;
  return sum.narrow(0, store_.master_begin(unit), store_.layouts()[unit].shard());
}

double GradientReducer::squares(const at::Tensor& values) const {
  return store_.kernels() ? store_.kernels()->block_squares(values) : block_squares(values);
}

double GradientReducer::sum_of_squares() {
  const int ranks = store_.group().size();
  std::vector<double> by_owner(ranks, 0.0);
  if (store_.options().stage == 0) {
    for (int u = 0; u < store_.num_units(); ++u) {
      const int64_t shard = store_.layouts()[u].shard();
      for (int r = 0; r < ranks; ++r) by_owner[r] += squares(reduced(u).narrow(0, r * shard, shard));
    }
  } else {
    double own = 0;
    for (int u = 0; u < store_.num_units(); ++u) own += squares(reduced(u));
    store_.group().all_gather({&own, 1, DType::kFloat64}, {by_owner.data(), ranks, DType::kFloat64}).wait();
  }
  double sum = 0;
  for (const double part : by_owner) sum += part;
  return sum;
}

void GradientReducer::reset() {
  for (UnitState& state : units_) {
    std::fill(state.touched.begin(), state.touched.end(), 0);
    state.reduced_before = false;
    if (state.slot >= 0) buckets_->release(state.slot);
    state.slot = -1;
  }
}

}  // namespace ds
