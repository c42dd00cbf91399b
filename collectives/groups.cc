#include "collectives/groups.h"

#include "topology/base/error.h"

namespace ds {

std::unique_ptr<Communicator> make_group(Communicator& world, const ProcessMesh& mesh, const std::vector<Axis>& axes,
                                         const std::string& name) {
  if (mesh.world_size() != world.size())
    throw Error(ErrorCode::kInternal, "collectives: group " + name + ": the mesh has " +
                                          std::to_string(mesh.world_size()) + " ranks, the world " +
                                          std::to_string(world.size()));
  return world.split(mesh.group_of(world.rank(), axes), name);
}

}  // namespace ds
