// Units and flat buffers (engine.md section 2): where each tensor of a unit lies, and which part a rank owns. Pure
// functions; work, gathered, gradient, master and optimizer states of a unit all have this layout in elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sharding/parameter.h"

namespace ds {

inline constexpr int64_t kBlockElements = 256;  // tensors start at multiples of it; shards are multiples of it

struct Slot {
  int parameter = 0;  // index into the model's parameter list
  int64_t offset = 0, count = 0;  // elements within the unit buffer
};

struct UnitLayout {
  std::string name;
  std::vector<Slot> slots;
  int ranks = 1;
  int64_t padded = 0;  // elements of the whole buffer: a multiple of ranks * kBlockElements
  int64_t shard() const { return padded / ranks; }
  int64_t used() const;     // elements that are parameters
  int64_t padding() const { return padded - used(); }
};

// A unit: parameters gathered and freed together.
struct UnitDefinition {
  std::string name;
  std::vector<int> parameters;
};

UnitLayout layout_unit(const UnitDefinition& unit, const std::vector<Parameter>& parameters, int ranks);
std::vector<UnitLayout> layout_units(const std::vector<UnitDefinition>& units, const std::vector<Parameter>& parameters,
                                     int ranks);

// A part of a tensor inside a range of the unit buffer.
struct TensorRange {
  int parameter = 0;
  int64_t global_offset = 0;  // first element, of the tensor
  int64_t local_offset = 0;   // first element, from the start of the range
  int64_t count = 0;
};
std::vector<TensorRange> runs_in(const UnitLayout& layout, int64_t begin, int64_t end);
// The runs in rank's shard. Over all ranks they cover every tensor exactly once.
std::vector<TensorRange> owned_runs(const UnitLayout& layout, int rank);

}  // namespace ds
