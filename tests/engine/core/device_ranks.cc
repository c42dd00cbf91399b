#include "tests/engine/core/device_ranks.h"

#include "collectives/nccl_world.h"
#include "engine/device/torch_cuda.h"
#include "tests/support/fake_cuda.h"

namespace ds {

DeviceRank on_cpu(Communicator&) { return {}; }

DeviceRank on_fake(Communicator& world) {
  DeviceRank rank;
  rank.device.cuda = fake_cuda::support();
  rank.group = nccl_communicator(world, rank.device.cuda, world.rank());
  return rank;
}

DevicePlacer on_gpus(const CudaSupport& cuda) {
  return [cuda](Communicator& world) {
    DeviceRank rank;
    rank.device.cuda = cuda;
    rank.device.cuda_device = world.rank();
    cuda.module->table->set_device(world.rank());  // of this thread
    if (world.size() > 1) rank.group = nccl_communicator(world, cuda, world.rank());
    return rank;
  };
}

std::string gpu_absence(const CudaSupport& cuda, int num_ranks) {
  if (!cuda.usable()) return cuda.absence;
  if (const std::string absence = load_torch_cuda(); !absence.empty()) return absence;
  if (num_ranks > cuda.num_devices) return "fewer GPUs than ranks: " + std::to_string(num_ranks);
  return num_ranks > 1 ? cuda.nccl_absence() : "";
}

}  // namespace ds
