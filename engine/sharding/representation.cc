#include "engine/sharding/representation.h"

namespace ds {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kWork: return "work";
    case Kind::kGathered: return "gathered";
    case Kind::kGradient: return "gradient";
    case Kind::kBucket: return "bucket";
    case Kind::kMaster: return "master";
    case Kind::kExpAvg: return "exp_avg";
    case Kind::kExpAvgSq: return "exp_avg_sq";
    case Kind::kMomentum: return "momentum";
  }
  return "?";
}

std::vector<Representation> representations(const StageOptions& o) {
  const Spread weights = o.stage >= 3 ? Spread::kFlat : Spread::kReplicated;
  const Spread gradients = o.stage >= 2 ? Spread::kFlat : Spread::kReplicated;
  const Spread states = o.stage >= 1 ? Spread::kFlat : Spread::kReplicated;
  std::vector<Representation> table{{Kind::kWork, o.work, weights, Lifetime::kPersistent},
                                    {Kind::kGradient, o.gradient, gradients, Lifetime::kPersistent}};
  if (o.work != DType::kFloat32) table.push_back({Kind::kMaster, DType::kFloat32, states, Lifetime::kPersistent});
  for (const Kind kind : o.optimizer_states) table.push_back({kind, DType::kFloat32, states, Lifetime::kPersistent});
  if (o.stage >= 2) table.push_back({Kind::kBucket, o.work, Spread::kReplicated, Lifetime::kTransient});
  if (o.stage >= 3) table.push_back({Kind::kGathered, o.work, Spread::kReplicated, Lifetime::kTransient});
  return table;
}

int64_t arena_bytes(const Representation& r, const std::vector<UnitLayout>& layouts) {
  int64_t elements = 0;
  for (const UnitLayout& layout : layouts) elements += r.spread == Spread::kFlat ? layout.shard() : layout.padded;
  return elements * static_cast<int64_t>(size_of(r.dtype));
}

StepTraffic step_traffic(const StageOptions& o, const std::vector<UnitLayout>& layouts, int64_t accumulation,
                         const std::vector<int>& gathers_per_micro_step) {
  StepTraffic traffic;
  const int64_t bytes = static_cast<int64_t>(size_of(o.work));
  for (size_t u = 0; u < layouts.size(); ++u) {
    const int64_t travelling = layouts[u].shard() * (layouts[u].ranks - 1) * bytes;  // M (n-1)/n of this unit
    traffic.reduce_scatter += travelling * (o.stage >= 2 ? accumulation : 1);
    traffic.all_gather += travelling * (o.stage >= 3 ? accumulation * gathers_per_micro_step[u] : 1);
  }
  return traffic;
}

}  // namespace ds
