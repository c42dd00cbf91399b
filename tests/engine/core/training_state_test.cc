// Save at four ranks under each stage, continue at any world under each stage: the curve of the unbroken run.
#include <filesystem>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "collectives/thread_world.h"
#include "engine/models/from_config.h"
#include "engine/train/trainer.h"
#include "engine/train/training_state.h"
#include "tests/engine/core/tiny.h"
#include "topology/base/error.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
constexpr int kSaveAt = 4, kSteps = 14;

class TrainingState : public testing::Test {
 protected:
  void SetUp() override {
    at::set_num_threads(1);
    folder_ = fs::temp_directory_path() / ("dsl-state-" + std::to_string(::getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // shuffle and dropout are on: position and masks must continue too.
  static tiny::Run run_of(int stage, int world) {
    tiny::Run run{stage, world};
    run.shuffle = true;
    return run;
  }
  static ModelConfig model() {
    ModelConfig config = tiny::gpt2();
    config.residual_dropout = config.embedding_dropout = 0.1;
    return config;
  }

  struct Result {
    std::vector<double> losses;
    std::vector<at::Tensor> weights;
  };

  // Trains to kSteps, from the checkpoint if `resume`; saves at kSaveAt if `save`.
  Result train(int stage, int world_size, bool save, bool resume) {
    Result result;
    const Settings settings = tiny::settings(run_of(stage, world_size));
    run_thread_world(world_size, [&](Communicator& world) {
      Trainer trainer(settings, model(), world);
      const auto data = tiny::data(settings, 67);
      Position position;
      if (resume) {
        std::vector<std::string> notes;
        position = restore(trainer, CheckpointReader(folder_.string()), "data", "all", notes);
        EXPECT_EQ(position.step, kSaveAt);
      } else {
        initialise_weights(trainer.store(), settings.seed);
      }
      for (; position.step < kSteps; ++position.step) {
        if (save && position.step == kSaveAt) {
          const nlohmann::json state = describe_state(trainer, position, "data");
          save_checkpoint(world, {folder_.string(), position.step, pieces_to_save(trainer.store()).pieces, &state, "{}", 0});
        }
        const double loss = trainer.train_step(*data, position.step).loss;
        if (world.rank() == 0 && position.step >= kSaveAt) result.losses.push_back(loss);
      }
      for (size_t p = 0; p < trainer.store().parameters().size(); ++p) {
        const at::Tensor weight = trainer.store().full_master(static_cast<int>(p));
        if (world.rank() == 0) result.weights.push_back(weight);
      }
    });
    return result;
  }

  fs::path folder_;
};

TEST_F(TrainingState, AnyStageAtFourRanksContinuesAtAnyWorldAndStage) {
  for (int saved : {0, 1, 2, 3}) {
    fs::remove_all(folder_);
    const Result unbroken = train(saved, 4, true, false);
    ASSERT_EQ(unbroken.losses.size(), 10u);
    for (int world : {1, 2, 3})
      for (int stage : {0, 1, 2, 3}) {
        const Result resumed = train(stage, world, false, true);
        ASSERT_EQ(resumed.losses.size(), 10u);
        for (size_t i = 0; i < 10; ++i)
          // Ten fp32 steps with sums over other numbers of ranks.
          EXPECT_NEAR(resumed.losses[i], unbroken.losses[i], 1e-5 * unbroken.losses[i])
              << "saved under stage " << saved << ", loaded under " << stage << " at " << world;
      }
    const Result same = train(saved, 4, false, true);
    EXPECT_EQ(same.losses, unbroken.losses) << "stage " << saved;
    for (size_t p = 0; p < same.weights.size(); ++p)
      EXPECT_TRUE(same.weights[p].equal(unbroken.weights[p])) << "stage " << saved << " parameter " << p;
  }
}

TEST_F(TrainingState, WhatMustMatchIsCheckedAndNamed) {
  train(1, 1, true, false);
  const CheckpointReader reader(folder_.string());
  auto world = singleton_communicator();
  Settings settings = tiny::settings(run_of(1, 1));
  settings.seed = 99;
  settings.batch = {6, 6, 1};
  Trainer trainer(settings, model(), *world);
  std::vector<std::string> notes;
  try {
    restore(trainer, reader, "other data", "all", notes);
    FAIL() << "must be refused";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    for (const char* word : {"seed", "11", "99", "train_batch_size", "12", "6", "other data"})
      EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  }
  // Weights alone need none of that.
  EXPECT_EQ(restore(trainer, reader, "other data", "weights", notes).step, 0);
}

}  // namespace
}  // namespace ds
