// Flat buffers: alignment, padding, and that shards cover every tensor exactly once.
#include "engine/sharding/unit_layout.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

std::vector<Parameter> parameters(const std::vector<int64_t>& sizes) {
  std::vector<Parameter> result;
  for (int64_t size : sizes) {
    Parameter p;
    p.name = "p" + std::to_string(result.size());
    p.shape = {size};
    result.push_back(p);
  }
  return result;
}

TEST(UnitLayout, StartsEveryTensorAtAMultipleOf256AndPadsToWholeShards) {
  const auto p = parameters({1, 256, 257, 3});
  const UnitLayout layout = layout_unit(UnitDefinition{"u", {0, 1, 2, 3}}, p, 3);
  ASSERT_EQ(layout.slots.size(), 4u);
  EXPECT_EQ(layout.slots[0].offset, 0);
  EXPECT_EQ(layout.slots[1].offset, 256);
  EXPECT_EQ(layout.slots[2].offset, 512);
  EXPECT_EQ(layout.slots[3].offset, 1024);
  EXPECT_EQ(layout.padded, 1536);  // 1027 rounded up to 3 x 256
  EXPECT_EQ(layout.shard(), 512);
  EXPECT_EQ(layout.used(), 517);
  EXPECT_EQ(layout.padding(), 1536 - 517);
}

TEST(UnitLayout, ShardsOfAllRanksCoverEachElementOnce) {
  const auto p = parameters({1000, 1, 255, 4097, 512});
  for (int ranks : {1, 2, 3, 4, 7, 16}) {
    const UnitLayout layout = layout_unit(UnitDefinition{"u", {0, 1, 2, 3, 4}}, p, ranks);
    std::vector<std::vector<int>> seen;
    for (const auto& parameter : p) seen.emplace_back(parameter.count(), 0);
    for (int r = 0; r < ranks; ++r)
      for (const TensorRange& run : owned_runs(layout, r)) {
        EXPECT_LE(run.local_offset + run.count, layout.shard());
        for (int64_t i = 0; i < run.count; ++i) ++seen[run.parameter][run.global_offset + i];
      }
    for (const auto& counts : seen)
      for (int count : counts) ASSERT_EQ(count, 1) << ranks << " ranks";
  }
}

TEST(UnitLayout, RunsKnowWhereTheyAreInTheTensor) {
  const auto p = parameters({300, 10});
  const UnitLayout layout = layout_unit(UnitDefinition{"u", {0, 1}}, p, 2);  // 300 -> [0, 300), 10 -> [512, 522), padded 1024
  const auto second = owned_runs(layout, 1);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].parameter, 1);
  EXPECT_EQ(second[0].local_offset, 0);
  const auto middle = runs_in(layout, 100, 514);
  ASSERT_EQ(middle.size(), 2u);
  EXPECT_EQ(middle[0].global_offset, 100);
  EXPECT_EQ(middle[0].count, 200);
  EXPECT_EQ(middle[1].count, 2);
  EXPECT_EQ(middle[1].local_offset, 412);
}

}  // namespace
}  // namespace ds
