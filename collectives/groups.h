// One communicator per set of mesh axes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "topology/process_mesh.h"

namespace ds {

// The group of this rank along `axes`, in the mesh's order. Collective over `world`, whose ranks are the mesh's; throws
// kInternal when their numbers differ.
std::unique_ptr<Communicator> make_group(Communicator& world, const ProcessMesh& mesh, const std::vector<Axis>& axes,
                                         const std::string& name);

}  // namespace ds
