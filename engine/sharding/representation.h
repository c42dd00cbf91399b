// The table that a ZeRO stage is: which representations of the parameters exist, in which dtype, spread how over the
// data-parallel group, and for how long. Whatever allocates, counts, moves, saves or restores bytes reads it.
// Stages: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2019.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/sharding/unit_layout.h"
#include "topology/dtype.h"

namespace ds {

enum class Kind { kWork, kGathered, kGradient, kBucket, kMaster, kExpAvg, kExpAvgSq, kMomentum };
std::string_view name_of(Kind kind);

enum class Spread {
  kReplicated,  // every rank has all of it
  kFlat,        // rank i has the i-th part of each unit
};

enum class Lifetime {
  kPersistent,  // an arena, from start to end
  kTransient,   // a slot per unit in use
};

struct Representation {
  Kind kind = Kind::kWork;
  DType dtype = DType::kFloat32;
  Spread spread = Spread::kReplicated;
  Lifetime lifetime = Lifetime::kPersistent;
};

struct StageOptions {
  int stage = 0;
  DType work = DType::kFloat32;       // dtype of forward and backward, and of what travels
  DType gradient = DType::kFloat32;   // dtype gradients are kept in between reduction and update
  std::vector<Kind> optimizer_states;  // kExpAvg, kExpAvgSq, kMomentum: fp32
  int cuda_device = -1;                // where all of it lies; -1: host memory
};

// fp32 work has no separate master: the update is made on the (own part of the) work arena.
std::vector<Representation> representations(const StageOptions& options);

// Bytes of a persistent representation on one rank, padding included.
int64_t arena_bytes(const Representation& representation, const std::vector<UnitLayout>& layouts);

// Bytes this rank sends per optimizer step for parameters and gradients (norms, losses and counts aside), with
// `accumulation` micro-steps: performance.md 6.4 with M = padded elements x wire bytes.
struct StepTraffic {
  int64_t reduce_scatter = 0, all_gather = 0;
};
StepTraffic step_traffic(const StageOptions& options, const std::vector<UnitLayout>& layouts, int64_t accumulation,
                         const std::vector<int>& gathers_per_micro_step);

}  // namespace ds
