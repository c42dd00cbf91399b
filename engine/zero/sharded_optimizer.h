// The optimizer step under any ZeRO stage: scales the summed gradients, updates the masters this rank owns, and brings
// the work copies up to date.
#pragma once

#include <memory>
#include <vector>

#include "engine/optim/update_rule.h"
#include "engine/zero/gradient_reducer.h"
#include "engine/zero/parameter_store.h"

namespace ds {

class ShardedOptimizer {
 public:
  ShardedOptimizer(ParameterStore& store, std::unique_ptr<UpdateRule> rule);

  // gradients are multiplied by `scale` (loss average and clipping in one factor), then applied. Collective at stages
  // 1 and 2 (the work copies are gathered).
  void step(GradientReducer& gradients, float scale, const UpdateArguments& arguments);

 private:
  // A range of a unit's master that shares one weight decay.
  struct Segment {
    int unit = 0;
    int64_t begin = 0, count = 0;
    bool decays = true;
  };
  bool fused() const { return store_.kernels() && rule_->adam_step({}, 1.0f); }
  void update_fused(GradientReducer& gradients, const std::vector<Segment>& segments, const DsAdamStep& step);
  void update(GradientReducer& gradients, const std::vector<Segment>& segments, float scale,
              const UpdateArguments& arguments);

  ParameterStore& store_;
  std::unique_ptr<UpdateRule> rule_;
  std::vector<Segment> with_decay_, without_decay_;
};

}  // namespace ds
