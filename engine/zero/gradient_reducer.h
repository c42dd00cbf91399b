// From the gradients that autograd leaves on the leaf tensors to the summed gradient each rank updates with.
//
// Stages 0 and 1 add micro-steps locally and reduce once a step; stages 2 and 3 reduce-scatter a unit as soon as its
// gradients of a micro-step are complete and add up shards. What travels has the work dtype; sums over ranks are in
// fp32 in a fixed order (engine.md section 5), sums over micro-steps in the gradient dtype.
#pragma once

#include <memory>
#include <vector>

#include "engine/zero/parameter_store.h"

namespace ds {

class GradientReducer {
 public:
  explicit GradientReducer(ParameterStore& store);

  // Moves `tensor.grad()` of a parameter into the unit's gradient memory (adds, if it is not the first contribution)
  // and drops it. A parameter without gradient contributes nothing.
  void take(int parameter);

  // A gradient computed elsewhere (foreign modules, tests), of the parameter's shape.
  void add(int parameter, const at::Tensor& gradient);

  // All contributions of this micro-step to the unit were taken. Stages 2 and 3: collective reduce-scatter.
  void finish_unit(int unit);

  // All micro-steps of the step are done. Stages 0 and 1: collective reduction of every unit. Afterwards
  // reduced(unit) holds the sum over ranks.
  void finish_step();

  // The summed gradient of the part that master(unit) covers.
  at::Tensor reduced(int unit);

  // Global sum of squares of the summed gradients: blocks of 256 in fp64, an owner's blocks first, then owners in rank
  // order; the same grouping in every stage. Collective at stages 1 to 3.
  double sum_of_squares();

  // Forgets all gradients: the next take is a first one.
  void reset();

  int64_t peak_bucket_bytes() const { return buckets_ ? buckets_->peak_bytes() : 0; }

 private:
  struct UnitState {
    int slot = -1;                 // stages 2, 3: the bucket lent
    std::vector<char> touched;     // per slot of the layout: has a value in the bucket or arena
    bool reduced_before = false;   // stages 2, 3: the shard has a value of an earlier micro-step
  };
  at::Tensor memory(int unit);     // whole unit: bucket or arena
  void zero_untouched(int unit, at::Tensor memory);
  double squares(const at::Tensor& values) const;

  ParameterStore& store_;
  bool scatter_;  // stages 2 and 3
  std::vector<UnitState> units_;
  std::unique_ptr<SlotPool> buckets_;
};

}  // namespace ds
