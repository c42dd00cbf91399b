// The device that all ranks of a run agreed on, and what it takes to use it.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.h"
#include "cuda/loader.h"
#include "engine/device/device_choice.h"

namespace ds {

struct ComputeDevice {
  int cuda_device = -1;  // -1: the CPU
  CudaSupport cuda;      // its module, when kernels of it are used: always on CUDA, on the CPU only in tests
  std::string statement = "cpu";
  bool on_cuda() const { return cuda_device >= 0; }
};

// Whether there is anything to ask: "auto" on a host without NVIDIA's driver is the CPU, without a word.
bool has_nvidia_driver();

// Asks this machine, then all ranks: either all compute on CUDA or none. wanted = cuda: throws kUsage on all ranks when
// one cannot, naming it and the reason. Collective over `world`.
ComputeDevice agree_on_device(const std::string& wanted, Communicator& world);

// The same over a given view of each rank (tests).
DeviceChoice agree(const std::string& wanted, const DeviceChoice& own, Communicator& world);

}  // namespace ds
