// Training over the device's path - its kernels and NCCL groups - with a fake of the CUDA module over host memory,
// against training on the CPU.
#include <cmath>
#include <filesystem>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "collectives/thread_world.h"
#include "engine/models/from_config.h"
#include "engine/train/trainer.h"
#include "engine/train/training_state.h"
#include "tests/engine/core/device_ranks.h"
#include "tests/engine/core/tiny.h"

namespace ds {
namespace {

struct Outcome {
  std::vector<double> losses, norms;
};

Outcome train(const tiny::Run& run, const DevicePlacer& place, int steps = 6) {
  at::set_num_threads(1);
  Outcome outcome;
  const Settings settings = tiny::settings(run);
  const ModelConfig config = tiny::llama();
  run_thread_world(run.world, [&](Communicator& world) {
    const DeviceRank rank = place(world);
    Trainer trainer(settings, config, rank.group ? *rank.group : world, rank.device);
    initialise_weights(trainer.store(), settings.seed);
    const auto data = tiny::data(settings, config.vocab_size);
    for (int step = 0; step < steps; ++step) {
      const StepResult result = trainer.train_step(*data, step);
      if (world.rank() != 0) continue;
      outcome.losses.push_back(result.loss);
      outcome.norms.push_back(result.grad_norm);
    }
  });
  return outcome;
}

class DeviceTraining : public testing::TestWithParam<std::tuple<int, int, Precision>> {};

TEST_P(DeviceTraining, FollowsTheCpusCurve) {
  const auto [stage, world, precision] = GetParam();
  const tiny::Run run{stage, world, precision};
  const Outcome cpu = train(run, on_cpu), device = train(run, on_fake);
  ASSERT_EQ(cpu.losses.size(), device.losses.size());
  // The same sums over ranks and the same squares: the first step has the same bits.
  EXPECT_EQ(device.losses[0], cpu.losses[0]);
  EXPECT_EQ(device.norms[0], cpu.norms[0]);
  // Then the kernel's Adam rounds in another order; in bf16 a rounded weight may fall to the other side.
  const double tolerance = precision == Precision::kFloat32 ? 1e-5 : 2e-3;
  for (size_t i = 1; i < cpu.losses.size(); ++i) {
    EXPECT_NEAR(device.losses[i], cpu.losses[i], tolerance * cpu.losses[i]) << "step " << i;
    EXPECT_NEAR(device.norms[i], cpu.norms[i], 10 * tolerance * cpu.norms[i]) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceTraining,
                         testing::Combine(testing::Values(0, 1, 2, 3), testing::Values(1, 3),
                                          testing::Values(Precision::kFloat32, Precision::kBFloat16)),
                         [](const auto& info) {
                           return "Stage" + std::to_string(std::get<0>(info.param)) + "Ranks" +
                                  std::to_string(std::get<1>(info.param)) +
                                  (std::get<2>(info.param) == Precision::kFloat32 ? "Fp32" : "Bf16");
                         });

// Products and reductions of libtorch on a GPU round in their own order: close, not equal.
TEST(GpuTraining, FollowsTheCpusCurve) {
  const CudaSupport cuda = find_cuda();
  for (int world : {1, 2})
    for (int stage : {0, 1, 2, 3}) {
      if (const std::string absence = gpu_absence(cuda, world); !absence.empty())
        GTEST_SKIP() << "skipped: no GPU: " << absence;
      const Outcome cpu = train({stage, world}, on_cpu), gpu = train({stage, world}, on_gpus(cuda));
      ASSERT_EQ(cpu.losses.size(), gpu.losses.size());
      for (size_t i = 0; i < cpu.losses.size(); ++i) {
        EXPECT_NEAR(gpu.losses[i], cpu.losses[i], 1e-4 * cpu.losses[i]) << "stage " << stage << " step " << i;
        EXPECT_NEAR(gpu.norms[i], cpu.norms[i], 1e-3 * cpu.norms[i]) << "stage " << stage << " step " << i;
      }
    }
}

// What a device's state goes through: copied to host memory, saved, loaded, copied back.
TEST(StagedState, IsSavedAndLoadedThroughItsCopies) {
  at::set_num_threads(1);
  const tiny::Run run{2, 2, Precision::kBFloat16};
  const Settings settings = tiny::settings(run);
  const auto folder = std::filesystem::temp_directory_path() / ("dsl-staged-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  run_thread_world(2, [&](Communicator& world) {
    Trainer first(settings, tiny::llama(), world), second(settings, tiny::llama(), world);
    initialise_weights(first.store(), settings.seed);
    const auto data = tiny::data(settings, tiny::llama().vocab_size);
    for (int step = 0; step < 2; ++step) first.train_step(*data, step);
    const nlohmann::json state{{"step", 2}};
    const StatePieces saved = pieces_to_save(first.store(), Staging::kAlways);
    EXPECT_FALSE(saved.staged.empty());
    save_checkpoint(world, {folder.string(), 2, saved.pieces, &state, "{}", 0});
    const StatePieces loaded = pieces_to_load(second.store(), false, Staging::kAlways);
    CheckpointReader(folder.string()).read(loaded.pieces);
    EXPECT_FALSE(second.store().master(0).equal(first.store().master(0))) << "not there before it is written back";
    loaded.write_back();
    for (int u = 0; u < first.store().num_units(); ++u) {
      EXPECT_TRUE(second.store().master(u).equal(first.store().master(u))) << "unit " << u;
      for (const Kind kind : {Kind::kExpAvg, Kind::kExpAvgSq})
        EXPECT_TRUE(second.store().state(kind, u).equal(first.store().state(kind, u))) << "unit " << u;
    }
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ds
