// What a build without NCCL answers.
#include "collectives/nccl_world.h"
#include "topology/base/error.h"

namespace ds {

bool nccl_is_built_in() { return false; }

std::unique_ptr<Communicator> nccl_communicator(Communicator& bootstrap, int) {
  throw Error(ErrorCode::kUnavailable,
              "collectives: group " + bootstrap.name() +
                  ": this program was built without NCCL: tensors must be in host memory (device = cpu)");
}

}  // namespace ds
