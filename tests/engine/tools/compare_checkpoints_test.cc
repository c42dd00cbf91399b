#include "engine/tools/compare_checkpoints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/checkpoint/checkpoint.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::ScratchFolder;

void save(const std::string& folder, std::vector<float> values, std::vector<int64_t> shape, const std::string& name = "w") {
  const TensorInfo info{name, "weight", DType::kFloat32, std::move(shape)};
  auto world = singleton_communicator();
  save_checkpoint(*world, {folder, 1, {{info, 0, info.count(), values.data()}}, nullptr, "", 0});
}

std::vector<TensorDifference> compare(const std::string& a, const std::string& b) {
  return compare_checkpoints(CheckpointReader(a), CheckpointReader(b));
}

TEST(CompareCheckpoints, FindsNothingBetweenWorldsThatSavedTheSame) {
  ScratchFolder a, b;
  test::save_small(a.path(), 1, 10, 1);
  test::save_small(b.path(), 3, 20, 1);
  EXPECT_TRUE(compare(a.path(), b.path()).empty());
}

TEST(CompareCheckpoints, TellsHowManyTheLargestAndTheFirst) {
  ScratchFolder a, b;
  std::vector<float> left(2'000'000, 1.0f), right = left;
  right[1'500'000] = 1.5f;
  right[1'999'999] = -2.0f;
  save(a.path(), left, {2000, 1000});
  save(b.path(), right, {2000, 1000});
  const auto found = compare(a.path(), b.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].num_different, 2);
  EXPECT_EQ(found[0].first_different, 1'500'000);
  EXPECT_EQ(found[0].value_in_second, 1.5);
  EXPECT_EQ(found[0].largest, 3.0);
}

TEST(CompareCheckpoints, KnowsNotANumberAndSignedZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ScratchFolder a, b, c;
  save(a.path(), {nan, 0.0f, 1.0f}, {3});
  save(b.path(), {nan, -0.0f, 1.0f}, {3});
  save(c.path(), {nan, 0.0f, nan}, {3});
  auto found = compare(a.path(), b.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].num_different, 1);
  EXPECT_EQ(found[0].largest, 0.0);
  found = compare(a.path(), c.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(std::isnan(found[0].largest));
}

TEST(CompareCheckpoints, TellsMissingTensorsAndOtherShapes) {
  ScratchFolder a, b, c;
  save(a.path(), {1, 2, 3, 4}, {4});
  save(b.path(), {1, 2, 3, 4}, {2, 2});
  save(c.path(), {1, 2, 3, 4}, {4}, "v");
  auto found = compare(a.path(), b.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].other_layout, "float32 [2, 2]");
  found = compare(a.path(), c.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].missing_in, "first");
  EXPECT_EQ(found[1].missing_in, "second");
}

}  // namespace
}  // namespace ds
