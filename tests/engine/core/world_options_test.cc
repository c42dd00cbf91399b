// What train.cfg says about sums reaches the communicator.
#include "engine/train/world_options.h"

#include <gtest/gtest.h>

#include "engine/config/train_config.h"

namespace ds {
namespace {

Reduction reduction_for(const std::string& word) {
  TrainConfig config;
  if (!word.empty()) config.values["train.reduction"].text = word;
  return world_options(config).reduction;
}

TEST(WorldOptions, HaveTheReductionOfTheConfiguration) {
  EXPECT_EQ(reduction_for(""), Reduction::kFixed);
  EXPECT_EQ(reduction_for("fixed"), Reduction::kFixed);
  EXPECT_EQ(reduction_for("fastest"), Reduction::kFastest);
}

}  // namespace
}  // namespace ds
