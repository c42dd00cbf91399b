// ZeRO stages against each other, against one rank, and against the formulas for memory and traffic. Ranks are threads.
#include <cmath>
#include <mutex>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "collectives/thread_world.h"
#include "engine/models/from_config.h"
#include "engine/train/stage_options.h"
#include "engine/train/trainer.h"
#include "tests/engine/core/tiny.h"

namespace ds {
namespace {

struct Outcome {
  std::vector<double> losses, norms;
  std::vector<at::Tensor> weights;  // full fp32 masters of rank 0
};

ModelConfig with_dropout(ModelConfig config, double p) {
  config.embedding_dropout = config.attention_dropout = config.residual_dropout = p;
  return config;
}

Outcome train(const tiny::Run& run, const ModelConfig& config, int steps = 6) {
  at::set_num_threads(1);
  Outcome outcome;
  const Settings settings = tiny::settings(run);
  run_thread_world(run.world, [&](Communicator& world) {
    Trainer trainer(settings, with_dropout(config, run.dropout), world);
    initialise_weights(trainer.store(), settings.seed);
    const auto data = tiny::data(settings, config.vocab_size);
    for (int step = 0; step < steps; ++step) {
      const StepResult result = trainer.train_step(*data, step);
      if (world.rank() != 0) continue;
      outcome.losses.push_back(result.loss);
      outcome.norms.push_back(result.grad_norm);
    }
    for (size_t p = 0; p < trainer.store().parameters().size(); ++p) {
      const at::Tensor weight = trainer.store().full_master(static_cast<int>(p));
      if (world.rank() == 0) outcome.weights.push_back(weight);
    }
  });
  return outcome;
}

// Tens of steps in fp32: sums over other numbers of ranks round differently (engine.md section 5: 1e-5 relative).
void expect_close(const Outcome& a, const Outcome& b, double tolerance) {
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (size_t i = 0; i < a.losses.size(); ++i) {
    EXPECT_NEAR(a.losses[i], b.losses[i], tolerance * b.losses[i]) << "step " << i;
    EXPECT_NEAR(a.norms[i], b.norms[i], 10 * tolerance * b.norms[i]) << "step " << i;
  }
}

void expect_same_bits(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.norms, b.norms);
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (size_t p = 0; p < a.weights.size(); ++p) EXPECT_TRUE(a.weights[p].equal(b.weights[p])) << "parameter " << p;
}

TEST(ZeroStages, LossFallsAndStagesAgreeBitForBitWithoutAccumulation) {
  for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16})
    for (const ModelConfig& config : {tiny::gpt2(), tiny::llama()})
      for (int world : {1, 2, 4}) {
        const Outcome zero = train({0, world, precision}, config);
        EXPECT_LT(zero.losses.back(), zero.losses.front());
        for (int stage : {1, 2, 3}) {
          SCOPED_TRACE("stage " + std::to_string(stage) + " world " + std::to_string(world));
          expect_same_bits(train({stage, world, precision}, config), zero);
        }
      }
}

TEST(ZeroStages, WithAccumulationStages0And1AgreeAndStages2And3Agree) {
  for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
    std::vector<Outcome> outcomes;
    for (int stage : {0, 1, 2, 3}) outcomes.push_back(train({stage, 2, precision, 3}, tiny::gpt2()));
    expect_same_bits(outcomes[0], outcomes[1]);
    expect_same_bits(outcomes[2], outcomes[3]);
    expect_close(outcomes[2], outcomes[0], precision == Precision::kFloat32 ? 1e-5 : 1e-2);
  }
}

TEST(ZeroStages, TheWorldSizeDoesNotChangeTheCurve) {
  for (const double dropout : {0.0, 0.1}) {
    tiny::Run one{0, 1};
    one.shuffle = true;
    one.dropout = dropout;
    const Outcome reference = train(one, tiny::gpt2());
    for (int world : {2, 3, 4})
      for (int stage : {0, 3}) {
        tiny::Run run = one;
        run.stage = stage;
        run.world = world;
        SCOPED_TRACE("stage " + std::to_string(stage) + " world " + std::to_string(world));
        expect_close(train(run, tiny::gpt2()), reference, 1e-5);
      }
  }
}

TEST(ZeroStages, DropoutChangesTheLossAndIsRepeatable) {
  tiny::Run run{0, 1};
  const Outcome without = train(run, tiny::gpt2());
  run.dropout = 0.2;
  const Outcome with = train(run, tiny::gpt2());
  EXPECT_NE(with.losses, without.losses);
  expect_same_bits(with, train(run, tiny::gpt2()));
}

TEST(ZeroStages, Bf16MastersKeepBitsThatBf16Cannot) {
  const Outcome outcome = train({1, 2, Precision::kBFloat16}, tiny::gpt2());
  const at::Tensor weight = outcome.weights[0];
  EXPECT_FALSE(weight.equal(weight.to(at::kBFloat16).to(at::kFloat)));
}

// Bytes held and sent by one rank, against the formulas: row by row of the table of representations.
class Accounting : public testing::TestWithParam<std::tuple<int, int, Precision>> {};

TEST_P(Accounting, BytesHeldAndSentEqualTheFormulas) {
  const auto [stage, world_size, precision] = GetParam();
  at::set_num_threads(1);
  const int64_t accumulation = 3;
  const Settings settings = tiny::settings({stage, world_size, precision, accumulation});
  run_thread_world(world_size, [&, stage = stage](Communicator& world) {
    Trainer trainer(settings, tiny::gpt2(), world);
    ParameterStore& store = trainer.store();
    initialise_weights(store, settings.seed);
    const StageOptions& options = store.options();
    int64_t persistent = 0;
    for (const Representation& r : representations(options))
      if (r.lifetime == Lifetime::kPersistent) {
        EXPECT_EQ(store.arena(r.kind).bytes(), arena_bytes(r, store.layouts())) << name_of(r.kind);
        ++persistent;
      }
    EXPECT_EQ(persistent, static_cast<int64_t>(store.arenas().size()));
    EXPECT_EQ(store.tensor(0).element_size(), precision == Precision::kBFloat16 ? 2 : 4);

    const auto data = tiny::data(settings, 67);
    trainer.train_step(*data, 0);
    world.reset_traffic();
    trainer.train_step(*data, 1);
    const StepTraffic expected =
        step_traffic(options, store.layouts(), accumulation, count_gathers(trainer.runner().plan(), store.num_units()));
    EXPECT_EQ(world.traffic().reduce_scatter, expected.reduce_scatter);
    const int64_t norms = stage == 0 ? 0 : (world.size() - 1) * 8;  // one double to every other rank
    EXPECT_EQ(world.traffic().all_gather, expected.all_gather + norms);

    int64_t largest = 0, second = 0;
    for (const UnitLayout& layout : store.layouts()) {
      const int64_t bytes = layout.padded * static_cast<int64_t>(size_of(options.work));
      if (bytes > largest) std::swap(largest, second), largest = bytes;
      else second = std::max(second, bytes);
    }
    EXPECT_LE(store.peak_gathered_bytes(), stage == 3 ? largest + second : 0);
    EXPECT_LE(trainer.gradients().peak_bucket_bytes(), stage >= 2 ? largest + second : 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Stages, Accounting,
                         testing::Combine(testing::Values(0, 1, 2, 3), testing::Values(2, 4),
                                          testing::Values(Precision::kFloat32, Precision::kBFloat16)));

}  // namespace
}  // namespace ds
