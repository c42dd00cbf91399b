#include "engine/train/state_pieces.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "engine/zero/parameter_store.h"

namespace ds {
namespace {

constexpr Kind kStates[] = {Kind::kExpAvg, Kind::kExpAvgSq, Kind::kMomentum};

// Collects the pieces of one store. A loader gets memory that holds what the state holds now: what is in no piece
// (padding) comes back unchanged.
class Collector {
 public:
  Collector(ParameterStore& store, Staging staging) : store_(store), staging_(staging) {}

  // The pieces of unit ranges [begin, end); `state` holds what master(unit) covers.
  void add(const std::string& kind, int unit, int64_t begin, int64_t end, const at::Tensor& state) {
    const int64_t first = store_.master_begin(unit);
    float* memory = in_host_memory(state.narrow(0, begin - first, end - begin)).data_ptr<float>();
    for (const TensorRange& run : runs_in(store_.layouts()[unit], begin, end)) {
      const Parameter& parameter = store_.parameters()[run.parameter];
      result_.pieces.push_back({{parameter.name, kind, DType::kFloat32, parameter.shape},
                                run.global_offset, run.count, memory + run.local_offset});
    }
  }

  StatePieces take() { return std::move(result_); }

 private:
  at::Tensor in_host_memory(const at::Tensor& state) {
    if (state.is_cpu() && staging_ == Staging::kWhereNeeded) return state;
    at::NoGradGuard no_grad;
    const at::Tensor copy = at::empty(state.sizes(), at::TensorOptions(at::kFloat).pinned_memory(!state.is_cpu()));
    copy.copy_(state);
    result_.staged.emplace_back(state, copy);
    return copy;
  }

  ParameterStore& store_;
  const Staging staging_;
  StatePieces result_;
};

StatePieces collect(ParameterStore& store, Staging staging, bool only_owned, bool weights_only) {
  Collector collector(store, staging);
  for (int u = 0; u < store.num_units(); ++u) {
    const int64_t first = store.master_begin(u);
    const int64_t shard = store.layouts()[u].shard();
    const int64_t begin = only_owned ? store.group().rank() * shard : first;
    const int64_t end = only_owned ? begin + shard : first + store.master(u).numel();
    collector.add("weight", u, begin, end, store.master(u));
    if (weights_only) continue;
    for (const Kind kind : kStates)
      if (store.has_arena(kind)) collector.add(std::string(name_of(kind)), u, begin, end, store.state(kind, u));
  }
  return collector.take();
}

}  // namespace

void StatePieces::write_back() const {
  at::NoGradGuard no_grad;
  for (const auto& [state, copy] : staged) at::Tensor(state).copy_(copy);
}

StatePieces pieces_to_save(ParameterStore& store, Staging staging) { return collect(store, staging, true, false); }
StatePieces pieces_to_load(ParameterStore& store, bool weights_only, Staging staging) {
  return collect(store, staging, false, weights_only);
}

}  // namespace ds
