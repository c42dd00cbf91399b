// The plan of a micro-step: what is held when, and when gradients are final.
#include "engine/train/layer_plan.h"

#include <set>

#include <gtest/gtest.h>

namespace ds {
namespace {

TEST(LayerPlan, HoldsAUnitWhileConsecutiveLayersReadIt) {
  EXPECT_EQ(describe(training_actions({{0}, {1}, {2}})), "G0 F0 R0 G1 F1 R1 G2 F2 B2 S2 R2 G1 B1 S1 R1 G0 B0 S0 R0");
}

TEST(LayerPlan, FinishesATiedUnitAfterItsFirstLayersBackward) {
  EXPECT_EQ(describe(training_actions({{0}, {1}, {0, 2}})),
            "G0 F0 R0 G1 F1 R1 G0 G2 F2 B2 S2 R0 R2 G1 B1 S1 R1 G0 B0 S0 R0");
}

TEST(LayerPlan, NeverHoldsMoreThanTheUnitsOfOneLayerAndReadsOnlyWhatIsHeld) {
  const std::vector<std::vector<int>> units{{0}, {1}, {2}, {3}, {0, 4}};
  std::set<int> held;
  for (const Action& action : training_actions(units)) {
    if (action.kind == ActionKind::kGather) {
      EXPECT_TRUE(held.insert(action.index).second);
    }
    if (action.kind == ActionKind::kRelease) {
      EXPECT_EQ(held.erase(action.index), 1u);
    }
    if (action.kind == ActionKind::kForward || action.kind == ActionKind::kBackward) {
      for (int unit : units[action.index]) EXPECT_TRUE(held.count(unit));
    }
    EXPECT_LE(held.size(), 2u);
  }
  EXPECT_TRUE(held.empty());
}

TEST(LayerPlan, EvaluationGathersEachUnitOncePerRead) {
  EXPECT_EQ(describe(evaluation_actions({{0}, {1}, {0, 2}})), "G0 F0 R0 G1 F1 R1 G0 G2 F2 R0 R2");
  EXPECT_EQ(count_gathers(evaluation_actions({{0}, {1}, {0, 2}}), 3), (std::vector<int>{2, 1, 1}));
}

}  // namespace
}  // namespace ds
