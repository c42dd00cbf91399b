#include "engine/zero/sharded_optimizer.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>

namespace ds {
namespace {

// Bounds the fp32 copies of 16-bit gradients.
constexpr int64_t kMaxSegment = 4 << 20;

}  // namespace

ShardedOptimizer::ShardedOptimizer(ParameterStore& store, std::unique_ptr<UpdateRule> rule)
    : store_(store), rule_(std::move(rule)) {
  for (int u = 0; u < store_.num_units(); ++u) {
    const int64_t begin = store_.master_begin(u);
    for (const TensorRange& run : runs_in(store_.layouts()[u], begin, begin + store_.master(u).numel())) {
      const Parameter& parameter = store_.parameters()[run.parameter];
      if (!parameter.trainable) continue;
      auto& list = parameter.decays ? with_decay_ : without_decay_;
      for (int64_t at = 0; at < run.count; at += kMaxSegment)
        list.push_back({u, run.local_offset + at, std::min(kMaxSegment, run.count - at), parameter.decays});
    }
  }
}

void ShardedOptimizer::step(GradientReducer& gradients, float scale, const UpdateArguments& arguments) {
  at::NoGradGuard no_grad;
  UpdateArguments undecayed = arguments;
  undecayed.weight_decay = 0;
  if (fused()) {
    update_fused(gradients, with_decay_, *rule_->adam_step(arguments, scale));
    update_fused(gradients, without_decay_, *rule_->adam_step(undecayed, scale));
  } else {
    update(gradients, with_decay_, scale, arguments);
    update(gradients, without_decay_, scale, undecayed);
  }
  store_.refresh_work(fused());
}

void ShardedOptimizer::update_fused(GradientReducer& gradients, const std::vector<Segment>& segments,
                                    const DsAdamStep& step) {
  const bool separate = store_.has_arena(Kind::kMaster);
  for (const Segment& s : segments) {
    const auto part = [&](const at::Tensor& whole) { return whole.narrow(0, s.begin, s.count); };
    store_.kernels()->adam(part(store_.master(s.unit)), part(store_.state(Kind::kExpAvg, s.unit)),
                           part(store_.state(Kind::kExpAvgSq, s.unit)), part(gradients.reduced(s.unit)),
                           separate ? part(store_.own_work(s.unit)) : at::Tensor(), step);
  }
}

void ShardedOptimizer::update(GradientReducer& gradients, const std::vector<Segment>& segments, float scale,
                              const UpdateArguments& arguments) {
  const std::vector<Kind> kinds = rule_->states();
  for (size_t first = 0; first < segments.size();) {
    std::vector<at::Tensor> parameters, slices;
    std::vector<std::vector<at::Tensor>> states(kinds.size());
    int64_t elements = 0;
    for (; first < segments.size() && elements < kMaxSegment; ++first) {
      const Segment& s = segments[first];
      parameters.push_back(store_.master(s.unit).narrow(0, s.begin, s.count));
      // fp32 gradients are scaled where they are: nobody reads them after the update.
      slices.push_back(gradients.reduced(s.unit).narrow(0, s.begin, s.count).to(at::kFloat).mul_(scale));
      for (size_t k = 0; k < kinds.size(); ++k)
        states[k].push_back(store_.state(kinds[k], s.unit).narrow(0, s.begin, s.count));
      elements += s.count;
    }
    rule_->update(parameters, slices, states, arguments);
  }
}

}  // namespace ds
