// Coordinates <-> ranks. An immutable value; nothing else in the code computes ranks from ranks.
//
// A mesh has six axes. `order` lists them from the fastest varying to the slowest; Megatron's order is the default:
// rank = tp + T*(sp + S*(cp + C*(ep + E*(dp + D*pp)))).
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ds {

enum class Axis { kTensor, kSequence, kContext, kExpert, kData, kPipeline };
inline constexpr int kNumAxes = 6;

std::string short_name(Axis axis);  // "tp", "sp", "cp", "ep", "dp", "pp"
std::string long_name(Axis axis);   // "tensor", "sequence", "context", "expert", "data", "pipeline"

struct ParallelDims {
  int tensor = 1, sequence = 1, context = 1, expert = 1, data = 1, pipeline = 1;
  int size(Axis axis) const;
  int world_size() const;
};

using Coordinates = std::array<int, kNumAxes>;  // indexed by static_cast<int>(Axis)

class ProcessMesh {
 public:
  // Throws kUsage when a size is not positive or `order` is not a permutation of all axes.
  explicit ProcessMesh(const ParallelDims& dims, const std::vector<Axis>& order = default_order());

  static std::vector<Axis> default_order();                   // tp, sp, cp, ep, dp, pp
  static std::vector<Axis> parse_order(const std::string&);   // "tp,sp,cp,ep,dp,pp"; throws kUsage

  int world_size() const;
  int size(Axis axis) const;
  const ParallelDims& dims() const { return dims_; }
  const std::vector<Axis>& order() const { return order_; }
  Coordinates coordinates(int rank) const;
  int rank(const Coordinates& at) const;

  // All groups of ranks that differ only along `axes`; each group ascending by the mesh order, groups by first rank.
  // {kData} gives the data-parallel groups; {kData, kExpert, kContext, kSequence} the dense ZeRO groups.
  std::vector<std::vector<int>> groups(const std::vector<Axis>& axes) const;
  std::vector<int> group_of(int rank, const std::vector<Axis>& axes) const;

 private:
  ParallelDims dims_;
  std::vector<Axis> order_;
};

}  // namespace ds
