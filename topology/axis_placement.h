// Puts the ranks of a mesh where their axes cost least: the most talkative axis on the nearest places. Pure, and the same
// values give the same placement. Rank numbers stay those of the mesh; only host and slot of a rank change.
#pragma once

#include <string>
#include <vector>

#include "topology/axis_traffic.h"
#include "topology/placement.h"
#include "topology/placement_score.h"

namespace ds {

struct AxisPlacement {
  std::vector<RankPlace> places{};  // by rank; local ranks ascend with ranks
  std::string how{};                // "by slot", "tensor < pipeline < data over near places", ...
  PlacementScore score{}, by_slot{};
  bool moved = false;               // differs from by slot
};

// `options` say how many ranks there are, the mesh as many. Candidates: by slot; the axes nested in every order over the
// places from near to near, on as many slots of each host as `options` take or on whole groups of ranks; the best of
// them, improved by exchanging ranks in pairs up to 64 ranks. By slot stays unless another is better by a thousandth.
// Throws as place_ranks.
AxisPlacement place_axes(const Cluster& cluster, const PlacementOptions& options, const ProcessMesh& mesh,
                         const AxisBytes& bytes);

// The score of places that somebody else chose.
PlacementScore score_places(const Cluster& cluster, const std::vector<RankPlace>& places, const ProcessMesh& mesh,
                            const AxisBytes& bytes);

// How many axes have more than one member.
int num_wide_axes(const ProcessMesh& mesh);

}  // namespace ds
