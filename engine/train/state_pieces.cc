#include "engine/train/state_pieces.h"

#include "engine/zero/parameter_store.h"

namespace ds {
namespace {

constexpr Kind kStates[] = {Kind::kExpAvg, Kind::kExpAvgSq, Kind::kMomentum};

// The pieces of unit ranges [begin, end), with memory starting at `start` of the tensor that holds master(unit).
void append_pieces(ParameterStore& store, const std::string& kind, int unit, int64_t begin, int64_t end, float* memory,
                   std::vector<TensorPiece>& pieces) {
  for (const TensorRange& run : runs_in(store.layouts()[unit], begin, end)) {
    const Parameter& parameter = store.parameters()[run.parameter];
    pieces.push_back({{parameter.name, kind, DType::kFloat32, parameter.shape},
                      run.global_offset, run.count, memory + run.local_offset});
  }
}

std::vector<TensorPiece> pieces(ParameterStore& store, bool only_owned, bool weights_only) {
  std::vector<TensorPiece> result;
  for (int u = 0; u < store.num_units(); ++u) {
    const int64_t first = store.master_begin(u);
    const int64_t shard = store.layouts()[u].shard();
    const int64_t begin = only_owned ? store.group().rank() * shard : first;
    const int64_t end = only_owned ? begin + shard : first + store.master(u).numel();
    append_pieces(store, "weight", u, begin, end, store.master(u).data_ptr<float>() + (begin - first), result);
    if (weights_only) continue;
    for (const Kind kind : kStates)
      if (store.has_arena(kind))
        append_pieces(store, std::string(name_of(kind)), u, begin, end,
                      store.state(kind, u).data_ptr<float>() + (begin - first), result);
  }
  return result;
}

}  // namespace

std::vector<TensorPiece> pieces_to_save(ParameterStore& store) { return pieces(store, true, false); }
std::vector<TensorPiece> pieces_to_load(ParameterStore& store, bool weights_only) {
  return pieces(store, false, weights_only);
}

}  // namespace ds
