#include "engine/device/device_choice.h"

#include <algorithm>

namespace ds {
namespace {

std::string obstacle(const DeviceFacts& f) {
  if (!f.cuda_absence.empty()) return f.cuda_absence;
  if (!f.torch_absence.empty()) return f.torch_absence;
  if (f.world_size > 1 && !f.nccl_absence.empty()) return "no NCCL: " + f.nccl_absence;
  const bool own = f.assigned && f.num_devices == 1;
  const int needed = std::max(f.local_size, f.local_rank + 1);  // not every launcher says how many share the host
  if (!own && f.num_devices < needed)
    return std::to_string(needed) + " ranks share a host where " + std::to_string(f.num_devices) +
           " CUDA devices are visible";
  return "";
}

}  // namespace

DeviceChoice choose_device(const DeviceFacts& facts) {
  if (facts.wanted == "cpu") return {-1, "cpu: as train.device says"};
  if (const std::string reason = obstacle(facts); !reason.empty()) return {-1, "cpu: " + reason};
  const int device = facts.num_devices == 1 ? 0 : facts.local_rank;
  return {device, "cuda:" + std::to_string(device)};
}

}  // namespace ds
