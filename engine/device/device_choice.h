// Where this rank computes: on the CPU or on which CUDA device. A pure decision over what was found out.
#pragma once

#include <string>

namespace ds {

struct DeviceFacts {
  std::string wanted = "auto";   // [train] device: auto | cpu | cuda
  std::string cuda_absence;      // why no CUDA device can be used here; empty: num_devices of them can
  std::string torch_absence;     // why libtorch cannot compute on CUDA
  std::string nccl_absence;      // why NCCL cannot be used; asked only when there is more than one rank
  int num_devices = 0;           // visible ones
  bool assigned = false;         // CUDA_VISIBLE_DEVICES is set: by an agent for this rank, or by the user
  int local_rank = 0, local_size = 1, world_size = 1;
};

struct DeviceChoice {
  int cuda_device = -1;   // -1: the CPU
  std::string statement;  // "cpu: no CUDA device: …", "cuda:0"
};

// One rank's own view. A single visible device is taken by whoever it was assigned to; else local rank i takes device i.
DeviceChoice choose_device(const DeviceFacts& facts);

}  // namespace ds
