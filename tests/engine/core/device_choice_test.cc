// Where ranks compute: each rank's choice, and what all agree on.
#include <gtest/gtest.h>

#include "collectives/thread_world.h"
#include "engine/device/compute_device.h"
#include "engine/device/torch_cuda.h"
#include "topology/base/error.h"

namespace ds {
namespace {

DeviceFacts two_gpus() {
  DeviceFacts facts;
  facts.num_devices = 2;
  facts.local_size = 2;
  facts.world_size = 2;
  return facts;
}

TEST(DeviceChoice, LocalRankTakesItsDevice) {
  DeviceFacts facts = two_gpus();
  facts.local_rank = 1;
  EXPECT_EQ(choose_device(facts).cuda_device, 1);
  EXPECT_EQ(choose_device(facts).statement, "cuda:1");
}

TEST(DeviceChoice, AnAssignedDeviceIsTheFirstOne) {
  DeviceFacts facts = two_gpus();
  facts.num_devices = 1;
  facts.local_rank = 1;
  facts.assigned = true;
  EXPECT_EQ(choose_device(facts).cuda_device, 0);
}

TEST(DeviceChoice, RanksThatWouldShareADeviceComputeOnTheCpu) {
  DeviceFacts facts = two_gpus();
  facts.num_devices = 1;
  EXPECT_EQ(choose_device(facts).statement, "cpu: 2 ranks share a host where 1 CUDA devices are visible");
  facts = two_gpus();
  facts.local_size = 1;  // unknown
  facts.local_rank = 2;
  EXPECT_EQ(choose_device(facts).statement, "cpu: 3 ranks share a host where 2 CUDA devices are visible");
}

TEST(DeviceChoice, EveryObstacleIsSaid) {
  DeviceFacts facts = two_gpus();
  facts.nccl_absence = "libnccl.so.2 is too old";
  EXPECT_EQ(choose_device(facts).statement, "cpu: no NCCL: libnccl.so.2 is too old");
  facts.world_size = facts.local_size = 1;
  EXPECT_EQ(choose_device(facts).cuda_device, 0) << "one rank needs no NCCL";
  facts.torch_absence = "this libtorch is for the CPU only";
  EXPECT_EQ(choose_device(facts).statement, "cpu: this libtorch is for the CPU only");
  facts.cuda_absence = "no CUDA device";
  EXPECT_EQ(choose_device(facts).statement, "cpu: no CUDA device");
  facts = two_gpus();
  facts.wanted = "cpu";
  EXPECT_EQ(choose_device(facts).cuda_device, -1);
}

TEST(DeviceAgreement, OneRankWithoutADeviceTakesAllToTheCpu) {
  run_thread_world(3, [](Communicator& world) {
    const DeviceChoice own = world.rank() == 2 ? DeviceChoice{-1, "cpu: no CUDA device"} : DeviceChoice{0, "cuda:0"};
    const DeviceChoice agreed = agree("auto", own, world);
    EXPECT_EQ(agreed.cuda_device, -1);
    EXPECT_EQ(agreed.statement, "cpu: rank 2: no CUDA device");
  });
}

TEST(DeviceAgreement, CudaThatARankLacksIsAUsageErrorOnAllRanks) {
  run_thread_world(2, [](Communicator& world) {
    const DeviceChoice own = world.rank() == 1 ? DeviceChoice{-1, "cpu: built without CUDA"} : DeviceChoice{0, "cuda:0"};
    try {
      agree("cuda", own, world);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_EQ(std::string(error.what()), "engine: train.device=cuda: rank 1: built without CUDA");
    }
  });
}

TEST(DeviceAgreement, AllWithDevicesKeepTheirOwn) {
  run_thread_world(2, [](Communicator& world) {
    const DeviceChoice own{world.rank(), "cuda:" + std::to_string(world.rank())};
    EXPECT_EQ(agree("auto", own, world).cuda_device, world.rank());
  });
}

TEST(TorchCuda, ACpuLibtorchSaysSo) {
  const std::string absence = load_torch_cuda();
  if (absence.empty()) GTEST_SKIP() << "this libtorch has CUDA and a device";
  EXPECT_TRUE(absence.find("libtorch") != std::string::npos) << absence;
}

}  // namespace
}  // namespace ds
