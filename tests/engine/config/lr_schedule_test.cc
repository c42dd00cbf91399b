#include "engine/optim/lr_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/config/job_folder.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using test::complaint;
using test::contains;

struct Row {
  int64_t update;
  double rate, beta1;  // beta1 -1: not moved
};
struct Case {
  const char* name;
  ScheduleSettings settings;
  std::vector<Row> rows;
};

OptimizerSettings adam(double rate = 2e-3) {
  OptimizerSettings optimizer;
  optimizer.learning_rate = rate;
  return optimizer;
}

// Rows that DeepSpeed 0.19.8 itself computed, 12 significant digits; the optimizer's learning rate was 2e-3.
// clang-format off
const std::vector<Case>& deepspeed_rows() {
  static const std::vector<Case> cases = {
      {"lrrangetest-staircase",
       {.type = "LRRangeTest",
        .numbers = {{"lr_range_test_min_lr", 0.0001}, {"lr_range_test_step_size", 20.0}, {"lr_range_test_step_rate",
                    5.0}, {"lr_range_test_staircase", 1}},
        .words = {}, .lists = {}},
       {{0, 0.0001, -1}, {1, 0.0001, -1}, {2, 0.0001, -1}, {3, 0.0001, -1}, {19, 0.0001, -1}, {30, 0.0006, -1}, {41,
        0.0011, -1}, {100, 0.0026, -1}, {200, 0.0051, -1}}},
      {"lrrangetest",
       {.type = "LRRangeTest",
        .numbers = {{"lr_range_test_min_lr", 0.0001}, {"lr_range_test_step_size", 20.0}, {"lr_range_test_step_rate",
                    1.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, -1}, {1, 0.000105, -1}, {2, 0.00011, -1}, {3, 0.000115, -1}, {19, 0.000195, -1}, {30, 0.00025, -1},
        {41, 0.000305, -1}, {100, 0.0006, -1}, {200, 0.0011, -1}}},
      {"onecycle-nomomentum",
       {.type = "OneCycle",
        .numbers = {{"cycle_min_lr", 0.0001}, {"cycle_max_lr", 0.001}, {"cycle_first_step_size", 30.0},
                    {"cycle_momentum", 0}, {"decay_lr_rate", 0.1}, {"decay_step_size", 10.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, -1}, {1, 0.00013, -1}, {2, 0.00016, -1}, {3, 0.00019, -1}, {19, 0.00067, -1}, {30, 0.001, -1}, {41,
        0.00067, -1}, {100, 7.14285714286e-05, -1}, {200, 4.16666666667e-05, -1}}},
      {"onecycle-stairs",
       {.type = "OneCycle",
        .numbers = {{"cycle_min_lr", 0.0001}, {"cycle_max_lr", 0.001}, {"cycle_first_step_size", 40.0},
                    {"cycle_first_stair_count", 4.0}, {"cycle_second_step_size", 40.0}, {"cycle_second_stair_count",
                    8.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, 0.8}, {1, 0.0001, 0.9}, {2, 0.0001, 0.9}, {3, 0.0001, 0.9}, {19, 0.000325, 0.875}, {30, 0.000775,
        0.825}, {41, 0.0008875, 0.8125}, {100, 0.0001, 0.9}, {200, 0.0001, 0.9}}},
      {"onecycle-symmetric-nodecay",
       {.type = "OneCycle",
        .numbers = {{"cycle_min_lr", 0.0001}, {"cycle_max_lr", 0.001}, {"cycle_first_step_size", 50.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, 0.8}, {1, 0.000118, 0.898}, {2, 0.000136, 0.896}, {3, 0.000154, 0.894}, {19, 0.000442, 0.862}, {30,
        0.00064, 0.84}, {41, 0.000838, 0.818}, {100, 0.0001, 0.9}, {200, 0.0001, 0.9}}},
      {"onecycle",
       {.type = "OneCycle",
        .numbers = {{"cycle_min_lr", 0.0001}, {"cycle_max_lr", 0.001}, {"cycle_first_step_size", 40.0},
                    {"cycle_second_step_size", 60.0}, {"decay_step_size", 20.0}, {"decay_lr_rate", 0.5},
                    {"cycle_min_mom", 0.85}, {"cycle_max_mom", 0.99}, {"decay_mom_rate", 0.1}},
        .words = {}, .lists = {}},
       {{0, 0.0001, 0.85}, {1, 0.0001225, 0.9865}, {2, 0.000145, 0.983}, {3, 0.0001675, 0.9795}, {19, 0.0005275,
        0.9235}, {30, 0.000775, 0.885}, {41, 0.000985, 0.852333333333}, {100, 0.0001, 0.99}, {200, 2.85714285714e-05,
        1.485}}},
      {"warmup-linear",
       {.type = "WarmupLR",
        .numbers = {{"warmup_min_lr", 1e-05}, {"warmup_max_lr", 0.001}, {"warmup_num_steps", 50.0}},
        .words = {{"warmup_type", "linear"}}, .lists = {}},
       {{0, 1e-05, -1}, {1, 1e-05, -1}, {2, 2.98e-05, -1}, {3, 4.96e-05, -1}, {19, 0.0003664, -1}, {30, 0.0005842, -1},
        {41, 0.000802, -1}, {100, 0.001, -1}, {200, 0.001, -1}}},
      {"warmup-log",
       {.type = "WarmupLR",
        .numbers = {{"warmup_min_lr", 0.0}, {"warmup_max_lr", 0.001}, {"warmup_num_steps", 50.0}},
        .words = {}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 0.000177183820136, -1}, {3, 0.000280829710649, -1}, {19, 0.000752664024491, -1},
        {30, 0.000869421620717, -1}, {41, 0.000949271530753, -1}, {100, 0.001, -1}, {200, 0.001, -1}}},
      {"warmup-lr-from-optimizer",
       {.type = "WarmupLR",
        .numbers = {{"warmup_num_steps", 20.0}},
        .words = {}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 0.00046275642632, -1}, {3, 0.000733451582684, -1}, {19, 0.00196575575539, -1}, {30,
        0.002, -1}, {41, 0.002, -1}, {100, 0.002, -1}, {200, 0.002, -1}}},
      {"warmup-one-step",
       {.type = "WarmupLR",
        .numbers = {{"warmup_min_lr", 0.0}, {"warmup_max_lr", 0.0005}, {"warmup_num_steps", 1.0}},
        .words = {}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 0.0005, -1}, {3, 0.0005, -1}, {19, 0.0005, -1}, {30, 0.0005, -1}, {41, 0.0005, -1},
        {100, 0.0005, -1}, {200, 0.0005, -1}}},
      {"warmup-two-steps-log",
       {.type = "WarmupLR",
        .numbers = {{"warmup_min_lr", 0.0001}, {"warmup_max_lr", 0.0005}, {"warmup_num_steps", 2.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, -1}, {1, 0.0001, -1}, {2, 0.0005, -1}, {3, 0.0005, -1}, {19, 0.0005, -1}, {30, 0.0005, -1}, {41,
        0.0005, -1}, {100, 0.0005, -1}, {200, 0.0005, -1}}},
      {"warmupcosine-defaults",
       {.type = "WarmupCosineLR",
        .numbers = {{"total_num_steps", 150.0}, {"warmup_num_steps", 20.0}},
        .words = {}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 0.00046275642632, -1}, {3, 0.000733451582684, -1}, {19, 0.00196575575539, -1}, {30,
        0.00197094472324, -1}, {41, 0.00187398063582, -1}, {100, 0.000645530573446, -1}, {200, 2e-07, -1}}},
      {"warmupcosine-linear",
       {.type = "WarmupCosineLR",
        .numbers = {{"total_num_steps", 120.0}, {"warmup_num_steps", 10.0}, {"warmup_min_ratio", 0.0}, {"cos_min_ratio",
                    0.0}},
        .words = {{"warmup_type", "linear"}}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 0.0002, -1}, {3, 0.0004, -1}, {19, 0.0019671468547, -1}, {30, 0.00184125353283, -1},
        {41, 0.00163301245381, -1}, {100, 0.000158746467169, -1}, {200, 0, -1}}},
      {"warmupcosine",
       {.type = "WarmupCosineLR",
        .numbers = {{"total_num_steps", 180.0}, {"warmup_num_steps", 30.0}, {"warmup_min_ratio", 0.1}, {"cos_min_ratio",
                    0.05}},
        .words = {}, .lists = {}},
       {{0, 0, -1}, {1, 0.0002, -1}, {2, 0.000566831084763, -1}, {3, 0.000781413513448, -1}, {19, 0.00175827185775, -1},
        {30, 0.002, -1}, {41, 0.00197489995773, -1}, {100, 0.0011493020401, -1}, {200, 0.0001, -1}}},
      {"warmupdecay-linear",
       {.type = "WarmupDecayLR",
        .numbers = {{"total_num_steps", 150.0}, {"warmup_min_lr", 0.0}, {"warmup_max_lr", 0.001}, {"warmup_num_steps",
                    30.0}},
        .words = {{"warmup_type", "linear"}}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 3.33333333333e-05, -1}, {3, 6.66666666667e-05, -1}, {19, 0.0006, -1}, {30,
        0.000966666666667, -1}, {41, 0.000916666666667, -1}, {100, 0.000425, -1}, {200, 0, -1}}},
      {"warmupdecay-log",
       {.type = "WarmupDecayLR",
        .numbers = {{"total_num_steps", 200.0}, {"warmup_min_lr", 0.0001}, {"warmup_max_lr", 0.001},
                    {"warmup_num_steps", 40.0}},
        .words = {}, .lists = {}},
       {{0, 0.0001, -1}, {1, 0.0001, -1}, {2, 0.000269111642238, -1}, {3, 0.000368035611383, -1}, {19,
        0.000818373997907, -1}, {30, 0.000929812326907, -1}, {41, 0.001, -1}, {100, 0.000668125, -1}, {200, 0.000105625,
        -1}}},
      {"warmupdecay-total-below-warmup",
       {.type = "WarmupDecayLR",
        .numbers = {{"total_num_steps", 20.0}, {"warmup_max_lr", 0.001}, {"warmup_num_steps", 40.0}},
        .words = {{"warmup_type", "linear"}}, .lists = {}},
       {{0, 0, -1}, {1, 0, -1}, {2, 2.5e-05, -1}, {3, 5e-05, -1}, {19, 0.00045, -1}, {30, 0.000725, -1}, {41, 0, -1},
        {100, 0, -1}, {200, 0, -1}}},
  };
  return cases;
}
// clang-format on

TEST(LrSchedule, GivesTheRatesAndMomentaOfDeepSpeed) {
  for (const auto& one : deepspeed_rows()) {
    const auto schedule = make_lr_schedule(one.settings, adam(), 1000);
    for (const auto& row : one.rows) {
      // Half a unit of the twelfth digit: what the written rows leave open.
      EXPECT_NEAR(schedule->learning_rate(row.update), row.rate, 5.1e-12 * row.rate) << one.name << " " << row.update;
      EXPECT_NEAR(schedule->beta1(row.update).value_or(-1), row.beta1, 1e-11) << one.name << " " << row.update;
      EXPECT_EQ(schedule->beta2(row.update).has_value(), row.beta1 >= 0);
    }
  }
}

TEST(LrSchedule, IsConstantWithoutAType) {
  const auto schedule = make_lr_schedule({}, adam(0.25), 10);
  EXPECT_EQ(schedule->learning_rate(0), 0.25);
  EXPECT_EQ(schedule->learning_rate(1000000), 0.25);
  EXPECT_FALSE(schedule->beta1(3));
}

TEST(LrSchedule, TakesTheTotalOfTheRunWhenNoneIsGiven) {
  ScheduleSettings settings;
  settings.type = "WarmupDecayLR";
  settings.numbers = {{"warmup_num_steps", 10}};
  EXPECT_EQ(make_lr_schedule(settings, adam(), 100)->learning_rate(101), 0);
  EXPECT_GT(make_lr_schedule(settings, adam(), 200)->learning_rate(101), 0);
  settings.numbers.emplace_back("total_num_steps", 50);
  EXPECT_EQ(make_lr_schedule(settings, adam(), 200)->learning_rate(51), 0);
}

TEST(LrSchedule, LeavesTheMomentumOfSgdAlone) {
  OptimizerSettings sgd = adam();
  sgd.type = OptimizerSettings::Type::kSgd;
  ScheduleSettings settings;
  settings.type = "OneCycle";
  settings.numbers = {{"cycle_min_lr", 0.1}, {"cycle_max_lr", 1}};
  EXPECT_FALSE(make_lr_schedule(settings, sgd, 10)->beta1(3));
  EXPECT_TRUE(make_lr_schedule(settings, adam(), 10)->beta1(3));
}

TEST(LrSchedule, FollowsTorchsLinearAndCosine) {
  ScheduleSettings linear;
  linear.type = "LinearLR";
  linear.numbers = {{"start_factor", 0.5}, {"total_iters", 4}};
  const auto ramp = make_lr_schedule(linear, adam(0.05), 10);
  const double want[] = {0.025, 0.03125, 0.0375, 0.04375, 0.05, 0.05};
  for (int64_t update = 0; update < 6; ++update) EXPECT_NEAR(ramp->learning_rate(update), want[update], 1e-16);

  ScheduleSettings cosine;
  cosine.type = "CosineAnnealingLR";
  cosine.numbers = {{"T_max", 10}, {"eta_min", 0.01}};
  // The recursion that torch runs, as the oracle.
  double rate = 0.05;
  const auto schedule = make_lr_schedule(cosine, adam(rate), 10);
  for (int64_t update = 0; update <= 10; ++update) {
    EXPECT_NEAR(schedule->learning_rate(update), rate, 1e-15) << update;
    const double now = static_cast<double>(update);
    rate = (1 + std::cos(M_PI * (now + 1) / 10)) / (1 + std::cos(M_PI * now / 10)) * (rate - 0.01) + 0.01;
  }
}

TEST(LrSchedule, FollowsTransformersLinearCosineAndConstantWithWarmup) {
  ScheduleSettings settings;
  settings.numbers = {{"warmup_steps", 4}};
  for (const char* type : {"linear", "cosine", "constant_with_warmup"}) {
    settings.type = type;
    const auto schedule = make_lr_schedule(settings, adam(1), 20);
    EXPECT_EQ(schedule->learning_rate(0), 0) << type;
    EXPECT_EQ(schedule->learning_rate(1), 0.25) << type;
    EXPECT_EQ(schedule->learning_rate(4), 1) << type;
  }
  settings.type = "linear";
  EXPECT_EQ(make_lr_schedule(settings, adam(1), 20)->learning_rate(12), 0.5);
  EXPECT_EQ(make_lr_schedule(settings, adam(1), 20)->learning_rate(25), 0);
  settings.type = "cosine";
  EXPECT_NEAR(make_lr_schedule(settings, adam(1), 20)->learning_rate(12), 0.5, 1e-15);
  EXPECT_NEAR(make_lr_schedule(settings, adam(1), 20)->learning_rate(20), 0, 1e-15);
  settings.type = "constant_with_warmup";
  EXPECT_EQ(make_lr_schedule(settings, adam(1), 20)->learning_rate(19), 1);
}

TEST(LrSchedule, RoundsAWarmupRatioUp) {
  ScheduleSettings settings;
  settings.type = "linear";
  settings.numbers = {{"warmup_ratio", 0.15}};
  EXPECT_EQ(make_lr_schedule(settings, adam(1), 21)->learning_rate(2), 0.5);  // ceil(3.15) = 4
}

TEST(LrSchedule, NamesParametersThatAreUnknownOrOutOfRange) {
  ScheduleSettings settings;
  settings.type = "WarmupLR";
  settings.numbers = {{"warmup_num_steps", 0}, {"warm_up", 3}};
  settings.words = {{"warmup_type", "cubic"}};
  const std::string text = join(schedule_problems(settings), "; ");
  EXPECT_TRUE(contains(text, "warmup_num_steps")) << text;
  EXPECT_TRUE(contains(text, "warm_up: unknown")) << text;
  EXPECT_TRUE(contains(text, "cubic: must be log or linear")) << text;
  settings.type = "Warmer";
  EXPECT_EQ(schedule_problems(settings).size(), 1u);
  EXPECT_NE(complaint([&] { make_lr_schedule(settings, adam(), 10); }), "");
}

}  // namespace
}  // namespace ds
