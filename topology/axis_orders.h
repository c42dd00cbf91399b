// Ways to nest the axes of a mesh over places that are sorted from near to near. Pure.
#pragma once

#include <vector>

#include "topology/placement_score.h"
#include "topology/process_mesh.h"

namespace ds {

// Every order of the axes with more than one member; the first is tensor, sequence, context, expert, pipeline, data.
std::vector<std::vector<Axis>> nesting_orders(const ProcessMesh& mesh);

// Place of each rank: the first axis of `nesting` varies fastest along `order`, a list of places.
std::vector<int> nested(const ProcessMesh& mesh, const std::vector<Axis>& nesting, const std::vector<int>& order);

// Lists of the scorer's places, all different: as they are; from near to near; the same with the places of each host in a
// chain in which each next one is the nearest that is left (pairs that NVLink joins stand side by side).
std::vector<std::vector<int>> place_orders(const PlacementScorer& scorer);

}  // namespace ds
