#include "topology/process_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Groups = std::vector<std::vector<int>>;

constexpr std::array kAxes{Axis::kTensor, Axis::kSequence, Axis::kContext, Axis::kExpert, Axis::kData, Axis::kPipeline};

ParallelDims dims(int tp, int sp, int cp, int ep, int dp, int pp) { return {tp, sp, cp, ep, dp, pp}; }

TEST(ProcessMesh, FollowsTheFormulaOfItsHeader) {
  const ProcessMesh mesh(dims(2, 3, 2, 2, 3, 2));
  int rank = 0;
  for (int d = 0; d < 2; ++d)  // pipeline
    for (int c = 0; c < 3; ++c)
      for (int e = 0; e < 2; ++e)
        for (int x = 0; x < 2; ++x)
          for (int s = 0; s < 3; ++s)
            for (int t = 0; t < 2; ++t, ++rank) {
              EXPECT_EQ(rank, t + 2 * (s + 3 * (x + 2 * (e + 2 * (c + 3 * d)))));
              EXPECT_EQ(mesh.rank({t, s, x, e, c, d}), rank);
              EXPECT_EQ(mesh.coordinates(rank), (Coordinates{t, s, x, e, c, d}));
            }
  EXPECT_EQ(mesh.world_size(), rank);
}

TEST(ProcessMesh, GivesTheGroupsMegatronGives) {
  const ProcessMesh mesh(dims(2, 1, 1, 1, 2, 2));  // TP2 DP2 PP2
  EXPECT_EQ(mesh.groups({Axis::kTensor}), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(mesh.groups({Axis::kData}), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(mesh.groups({Axis::kPipeline}), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(mesh.groups({Axis::kTensor, Axis::kPipeline}), (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(ProcessMesh, MatchesAMaskedAxisOracleInEveryOrder) {
  std::vector<Axis> order = ProcessMesh::default_order();
  const ParallelDims sizes = dims(2, 1, 3, 1, 2, 2);
  for (int shuffle = 0; shuffle < 60; ++shuffle) {
    std::next_permutation(order.begin(), order.end());
    std::rotate(order.begin(), order.begin() + shuffle % kNumAxes, order.end());
    const ProcessMesh mesh(sizes, order);
    for (unsigned mask = 0; mask < 64; ++mask) {
      std::vector<Axis> axes;
      for (Axis axis : kAxes)
        if (mask >> static_cast<unsigned>(axis) & 1) axes.push_back(axis);
      Groups expected;  // the slow way: ranks with equal coordinates outside the mask
      std::set<int> seen;
      for (int a = 0; a < mesh.world_size(); ++a) {
        if (seen.contains(a)) continue;
        std::vector<int> group;
        for (int b = 0; b < mesh.world_size(); ++b) {
          const Coordinates x = mesh.coordinates(a), y = mesh.coordinates(b);
          const bool same = std::all_of(kAxes.begin(), kAxes.end(), [&](Axis axis) {
            const auto i = static_cast<size_t>(axis);
            return (mask >> i & 1) || x[i] == y[i];
          });
          if (same) group.push_back(b);
        }
        seen.insert(group.begin(), group.end());
        expected.push_back(group);
      }
      EXPECT_EQ(mesh.groups(axes), expected);
      for (const auto& group : expected)
        for (int rank : group) EXPECT_EQ(mesh.group_of(rank, axes), group);
    }
  }
}

TEST(ProcessMesh, KeepsTensorGroupsInsideANodeWhenTheyFit) {
  const ProcessMesh mesh(dims(4, 1, 1, 1, 3, 2));
  for (const auto& group : mesh.groups({Axis::kTensor})) EXPECT_EQ(group.front() / 4, group.back() / 4);
}

TEST(ProcessMesh, WorksForAWorldOfOne) {
  const ProcessMesh mesh(ParallelDims{});
  EXPECT_EQ(mesh.world_size(), 1);
  EXPECT_EQ(mesh.groups({Axis::kData, Axis::kPipeline}), (Groups{{0}}));
  EXPECT_EQ(mesh.groups({}), (Groups{{0}}));
}

TEST(ProcessMesh, ReadsOrders) {
  EXPECT_EQ(ProcessMesh::parse_order("tp,sp,cp,ep,dp,pp"), ProcessMesh::default_order());
  EXPECT_EQ(ProcessMesh::parse_order(" PP, data ,tp,sp,cp,ep").front(), Axis::kPipeline);
  const ProcessMesh mesh(dims(2, 1, 1, 1, 2, 1), ProcessMesh::parse_order("dp,tp,sp,cp,ep,pp"));
  EXPECT_EQ(mesh.groups({Axis::kData}), (Groups{{0, 1}, {2, 3}}));
}

TEST(ProcessMesh, RefusesBadOrdersAndSizes) {
  expect_words(usage_error_of([] { ProcessMesh::parse_order("tp,sp,cp,ep,dp"); }), {"pp"});
  expect_words(usage_error_of([] { ProcessMesh::parse_order("tp,sp,cp,ep,dp,pp,tp"); }), {"twice"});
  expect_words(usage_error_of([] { ProcessMesh::parse_order("tp,xx"); }), {"'xx'", "tp,sp,cp,ep,dp,pp"});
  expect_words(usage_error_of([] { ProcessMesh({0, 1, 1, 1, -2, 1}); }), {"tensor=0", "data=-2"});
  expect_words(usage_error_of([] { ProcessMesh({1 << 20, 1 << 20, 1, 1, 1, 1}); }), {"too large"});
}

TEST(ProcessMesh, RefusesRanksAndCoordinatesOutside) {
  const ProcessMesh mesh(dims(2, 1, 1, 1, 1, 1));
  EXPECT_THROW(mesh.coordinates(2), Error);
  EXPECT_THROW(mesh.coordinates(-1), Error);
  EXPECT_THROW(mesh.rank({2, 0, 0, 0, 0, 0}), Error);
}

TEST(ProcessMesh, NamesAxesShortAndLong) {
  EXPECT_EQ(short_name(Axis::kContext), "cp");
  EXPECT_EQ(long_name(Axis::kPipeline), "pipeline");
}

}  // namespace
}  // namespace ds
