#include "engine/device/compute_device.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/device/torch_cuda.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

int number_from(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names)
    if (const char* text = std::getenv(name))
      if (const auto value = parse_int(text)) return static_cast<int>(*value);
  return fallback;
}

DeviceFacts facts_here(const std::string& wanted, const CudaSupport& cuda, int world_size) {
  DeviceFacts facts;
  facts.wanted = wanted;
  facts.cuda_absence = cuda.absence;
  if (cuda.usable()) {
    facts.torch_absence = load_torch_cuda();
    facts.nccl_absence = cuda.nccl_absence();
  }
  facts.num_devices = cuda.num_devices;
  facts.assigned = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  facts.local_rank = number_from({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}, 0);
  facts.local_size = number_from({"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}, 1);
  facts.world_size = world_size;
  return facts;
}

}  // namespace

bool has_nvidia_driver() {
  std::error_code error;
  for (const char* sign : {"/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg"})
    if (std::filesystem::exists(sign, error)) return true;
  return std::getenv("DSLAUNCH_CUDA_MODULE") != nullptr;  // somebody says where it is
}

DeviceChoice agree(const std::string& wanted, const DeviceChoice& own, Communicator& world) {
  if (wanted == "cpu") return own;
  std::vector<int64_t> devices(world.size());
  const int64_t mine = own.cuda_device;
  world.all_gather({&mine, 1, DType::kInt64}, {devices.data(), world.size(), DType::kInt64}).wait();
  for (int rank = 0; rank < world.size(); ++rank) {
    if (devices[rank] >= 0) continue;
    std::string reason = own.statement;
    int64_t length = static_cast<int64_t>(reason.size());
    world.broadcast({&length, 1, DType::kInt64}, rank).wait();
    reason.resize(length);
    world.broadcast({reason.data(), length, DType::kUInt8}, rank).wait();
    const std::string where = world.size() == 1 ? "" : "rank " + std::to_string(rank) + ": ";
    reason = reason.substr(reason.find(' ') + 1);
    if (wanted == "cuda")
      throw Error(ErrorCode::kUsage, "engine: train.device=cuda: " + where + reason);
    return {-1, "cpu: " + where + reason};
  }
  return own;
}

ComputeDevice agree_on_device(const std::string& wanted, Communicator& world) {
  ComputeDevice result;
  if (wanted == "cuda" || (wanted == "auto" && has_nvidia_driver())) result.cuda = find_cuda();
  else result.cuda.absence = "no NVIDIA driver on this host";
  const DeviceChoice choice = agree(wanted, choose_device(facts_here(wanted, result.cuda, world.size())), world);
  result.cuda_device = choice.cuda_device;
  result.statement = choice.statement;
  if (!result.on_cuda()) {
    result.cuda = {};
    return result;
  }
  const DsCudaModule& table = *result.cuda.module->table;
  if (const int code = table.set_device(result.cuda_device); code != 0)
    throw Error(ErrorCode::kUnavailable, "engine: device cuda:" + std::to_string(result.cuda_device) + ": " +
                                             table.cuda_error(code));
  return result;
}

}  // namespace ds
