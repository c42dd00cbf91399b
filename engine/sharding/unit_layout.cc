#include "engine/sharding/unit_layout.h"

#include <algorithm>

namespace ds {

static int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

int64_t UnitLayout::used() const {
  int64_t sum = 0;
  for (const Slot& slot : slots) sum += slot.count;
  return sum;
}

UnitLayout layout_unit(const UnitDefinition& unit, const std::vector<Parameter>& parameters, int ranks) {
  UnitLayout layout{unit.name, {}, ranks, 0};
  int64_t end = 0;
  for (const int id : unit.parameters) {
    const int64_t start = round_up(end, kBlockElements);
    layout.slots.push_back({id, start, parameters[id].count()});
    end = start + parameters[id].count();
  }
  layout.padded = round_up(end, ranks * kBlockElements);
  return layout;
}

std::vector<UnitLayout> layout_units(const std::vector<UnitDefinition>& units, const std::vector<Parameter>& parameters,
                                     int ranks) {
  std::vector<UnitLayout> layouts;
  for (const UnitDefinition& unit : units) layouts.push_back(layout_unit(unit, parameters, ranks));
  return layouts;
}

std::vector<TensorRange> runs_in(const UnitLayout& layout, int64_t begin, int64_t end) {
  std::vector<TensorRange> runs;
  for (const Slot& slot : layout.slots) {
    const int64_t lo = std::max(begin, slot.offset);
    const int64_t hi = std::min(end, slot.offset + slot.count);
    if (lo < hi) runs.push_back({slot.parameter, lo - slot.offset, lo - begin, hi - lo});
  }
  return runs;
}

std::vector<TensorRange> owned_runs(const UnitLayout& layout, int rank) {
  return runs_in(layout, rank * layout.shard(), (rank + 1) * layout.shard());
}

}  // namespace ds
