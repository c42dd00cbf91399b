// What the ranks of a mesh send to each other in one training step: a simple model, after the volumes that the papers
// of each kind of parallelism give. Pure. The page is docs/placement.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/process_mesh.h"

namespace ds {

using AxisBytes = std::array<double, kNumAxes>;  // indexed by static_cast<int>(Axis): what each rank sends in a step

struct ModelShape {
  int64_t layers = 32, hidden = 4096, sequence = 4096;  // the reference where nothing is known: about 6.4e9 parameters
  double parameters = 0;                                // 0 = 12 layers hidden^2
  int64_t micro_batch = 1, microbatches = 8;            // sequences at a time; how often a step
  int element_bytes = 2;
  int zero_stage = 1;
};

// Bytes that each rank sends in a step along each axis; 0 for axes of size 1. The data axis stands for the reduction of
// gradients over all ranks that hold the same parameters (data, expert, context and sequence ranks together).
AxisBytes axis_bytes(const ParallelDims& dims, const ModelShape& shape);

enum class Pattern {
  kRing,      // to the next member; the ring visits members in the order in which they lie near each other
  kAllToAll,  // an equal part to every other member
  kChain,     // to the next and to the previous stage, all of it each way
};

struct Traffic {
  Axis axis = Axis::kData;
  Pattern pattern = Pattern::kRing;
  double bytes = 0;  // that each member sends (kChain: each way)
  std::vector<std::vector<int>> groups{};  // of ranks
};

// All traffic of a mesh, axes in the order tensor, sequence, context, expert, pipeline, data; silent ones left out.
std::vector<Traffic> traffic_of(const ProcessMesh& mesh, const AxisBytes& bytes);

// The mesh "tp=8,dp=2": sizes of axes, by short or long name, the fastest varying first; axes that are not named have
// size 1 and come last. Without data, `num_ranks` that is given makes it what is left. Throws kUsage: unknown or
// repeated axes, sizes that are no numbers from 1, `num_ranks` that do not fit.
ProcessMesh parse_mesh(const std::string& text, std::optional<int> num_ranks);

// "tp=6e10,dp=1.6e9" over `bytes`. Throws kUsage.
AxisBytes parse_axis_bytes(const std::string& text, AxisBytes bytes);

// Throws kUsage when `bytes_text` names an axis that `mesh_text` does not; data is an axis of every mesh.
void check_axes_of_mesh(const std::string& bytes_text, const std::string& mesh_text);

}  // namespace ds
