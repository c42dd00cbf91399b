// Ranks as threads that train over the device's path: over a fake of the CUDA module with tensors in host memory, or on
// real devices.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collectives/communicator.h"
#include "engine/device/compute_device.h"

namespace ds {

struct DeviceRank {
  ComputeDevice device{};
  std::unique_ptr<Communicator> group{};  // nullptr: the host's group will do
};
using DevicePlacer = std::function<DeviceRank(Communicator& world)>;

DeviceRank on_cpu(Communicator& world);
DeviceRank on_fake(Communicator& world);
DevicePlacer on_gpus(const CudaSupport& cuda);  // rank i on device i

// Why `num_ranks` ranks cannot train on devices of this machine; "" when they can.
std::string gpu_absence(const CudaSupport& cuda, int num_ranks);

}  // namespace ds
