#include "launcher/reach/start_simulation.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

// Costs that make each answer a sum that can be done by hand.
constexpr StartCosts kCosts = {.start_cpu = 1, .host_cpu = 10, .latency = 100, .join_cpu = 0, .message = 0};

double seconds(int hosts, StartLimits limits, StartCosts costs = kCosts) {
  return simulate_start(hosts, limits, costs).all_joined;
}

TEST(StartSimulation, OneHostTakesOneStart) { EXPECT_DOUBLE_EQ(seconds(1, {}), 111); }

TEST(StartSimulation, TheLauncherStartsOneAfterTheOther) {
  EXPECT_DOUBLE_EQ(seconds(5, {.fan_out = 0}), 5 * 1 + 110);
  EXPECT_DOUBLE_EQ(seconds(64, {.fan_out = 64, .at_once = 128}), 64 * 1 + 110);
}

TEST(StartSimulation, NoMoreAtOnceThanAllowed) {
  // Two at once: the third starts when the first has joined at 111, the fourth when the second has at 112.
  EXPECT_DOUBLE_EQ(seconds(4, {.fan_out = 0, .at_once = 2}), 112 + 111);
}

TEST(StartSimulation, ALevelOfTheTreeTakesOneStartAndItsFanOut) {
  const StartTimes times = simulate_start(2 + 4, {.fan_out = 2}, kCosts);
  EXPECT_DOUBLE_EQ(times.all_joined, (2 + 110) + (2 + 110));
  EXPECT_EQ(times.depth, 2);
  EXPECT_EQ(times.by_launcher, 2);
  EXPECT_EQ(times.messages, 6 + 2) << "a welcome for each, an ask for those with children";
}

TEST(StartSimulation, MessagesAndJoinsAreCounted) {
  StartCosts costs = kCosts;
  costs.message = 1000;
  costs.join_cpu = 0.5;
  EXPECT_DOUBLE_EQ(seconds(1, {}, costs), 111 + 1000 + 0.5);
  EXPECT_DOUBLE_EQ(seconds(2, {.fan_out = 1}, costs), 2 * (111 + 1000 + 0.5) + 1000);
}

TEST(StartSimulation, SharedCoresAreTheLimitWhateverTheTree) {
  StartCosts costs = kCosts;
  costs.latency = 0;
  costs.shared_cores = 2;
  for (int fan_out : {0, 4, 64}) {
    const double time = seconds(64, {.fan_out = fan_out}, costs);
    EXPECT_GE(time, 64 * 11 / 2.0) << fan_out;
    EXPECT_LE(time, 64 * 11 / 2.0 + 4 * 11) << fan_out;
  }
}

TEST(StartSimulation, ATreeGrowsWithTheLogarithmOfTheHosts) {
  const StartLimits tree{.fan_out = 64};
  const StartTimes thousand = simulate_start(1000, tree, {}), many = simulate_start(100000, tree, {});
  EXPECT_EQ(thousand.depth, 2);
  EXPECT_EQ(many.depth, 3);
  EXPECT_LT(many.by_launcher, 65);
  EXPECT_GT(simulate_start(1000, {.fan_out = 0}, {}).all_joined, 2 * thousand.all_joined);
}

}  // namespace
}  // namespace ds
