#include "engine/checkpoint/coverage.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

TEST(Coverage, AcceptsRangesInAnyOrderThatTileTheTensor) {
  EXPECT_EQ(coverage_problem({{4, 6, "b"}, {0, 4, "a"}}, 10), "");
  EXPECT_EQ(coverage_problem({{4, 6, "b"}, {4, 0, "empty"}, {10, 0, "empty"}, {0, 4, "a"}}, 10), "");
  EXPECT_EQ(coverage_problem({}, 0), "");
}

TEST(Coverage, NamesTheFirstGap) {
  EXPECT_EQ(coverage_problem({{0, 4, "a"}, {6, 4, "b"}}, 10), "elements [4, 6) are in no piece");
  EXPECT_EQ(coverage_problem({{2, 8, "a"}}, 10), "elements [0, 2) are in no piece");
  EXPECT_EQ(coverage_problem({{0, 8, "a"}}, 10), "elements [8, 10) are in no piece");
  EXPECT_EQ(coverage_problem({}, 1), "elements [0, 1) are in no piece");
}

TEST(Coverage, NamesWhoHoldsTheSameElements) {
  EXPECT_EQ(coverage_problem({{0, 6, "rank 0"}, {4, 6, "rank 1"}}, 10),
            "elements [4, 6) are in pieces of rank 0 and rank 1");
  EXPECT_EQ(coverage_problem({{0, 10, "rank 0"}, {2, 3, "rank 3"}}, 10),
            "elements [2, 5) are in pieces of rank 0 and rank 3");
}

TEST(Coverage, RefusesRangesOutsideTheTensorWithoutOverflow) {
  EXPECT_NE(coverage_problem({{0, 11, "a"}}, 10), "");
  EXPECT_NE(coverage_problem({{-1, 11, "a"}}, 10), "");
  EXPECT_NE(coverage_problem({{5, INT64_MAX, "a"}}, 10), "");
  EXPECT_NE(coverage_problem({{INT64_MAX, 1, "a"}}, 10), "");
}

}  // namespace
}  // namespace ds
