// Groups: split in any order, several levels, operations on several groups at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "collectives/groups.h"
#include "tests/collectives/contract.h"
#include "tests/collectives/sample_values.h"
#include "topology/base/error.h"

namespace ds::contract {
namespace {

int64_t sum_of_world_ranks(Communicator& group, Communicator& world) {
  int64_t value = world.rank();
  group.all_reduce({&value, 1, DType::kInt64}).wait();
  return value;
}

void reordered(Communicator& world) {
  std::vector<int> backwards(world.size());
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  auto group = world.split(backwards, "backwards");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->rank(), world.size() - 1 - world.rank());
  EXPECT_EQ(group->world_ranks(), backwards);
  EXPECT_EQ(group->name(), "backwards");
  EXPECT_EQ(group->options().piece_bytes, world.options().piece_bytes);
  int64_t mine = world.rank();
  std::vector<int64_t> all(world.size());
  group->all_gather({&mine, 1, DType::kInt64}, {all.data(), world.size(), DType::kInt64}).wait();
  for (int r = 0; r < world.size(); ++r) EXPECT_EQ(all[r], backwards[r]);
}

void disjoint_and_absent(Communicator& world) {
  std::vector<int> even, odd;
  for (int r = 0; r < world.size(); ++r) (r % 2 == 0 ? even : odd).push_back(r);
  const std::vector<int>& own = world.rank() % 2 == 0 ? even : odd;
  auto group = world.split(own, "parity");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(sum_of_world_ranks(*group, world), std::accumulate(own.begin(), own.end(), 0));
  auto only_even = world.split(even, "even");  // the same list everywhere: odd ranks are not in it
  EXPECT_EQ(only_even != nullptr, world.rank() % 2 == 0);
  if (only_even) {
    EXPECT_EQ(sum_of_world_ranks(*only_even, world), std::accumulate(even.begin(), even.end(), 0));
  }
  EXPECT_EQ(world.split({}, "nobody"), nullptr);
}

void nested(Communicator& world) {
  std::vector<int> backwards(world.size());
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  auto outer = world.split(backwards, "outer");
  std::vector<int> half;
  for (int r = 0; r < (world.size() + 1) / 2; ++r) half.push_back(r);
  auto inner = outer->split(half, "inner");
  EXPECT_EQ(inner != nullptr, outer->rank() < static_cast<int>(half.size()));
  if (!inner) return;
  for (int r = 0; r < inner->size(); ++r) EXPECT_EQ(inner->world_ranks()[r], world.size() - 1 - r);
  outer.reset();  // a group lives without the one it came from
  int64_t expected = 0;
  for (int r : inner->world_ranks()) expected += r;
  EXPECT_EQ(sum_of_world_ranks(*inner, world), expected);
}

// Two groups of the same ranks, waited for crosswise.
void crosswise(Communicator& world) {
  std::vector<int> all(world.size());
  std::iota(all.begin(), all.end(), 0);
  auto a = world.split(all, "a"), b = world.split(all, "b");
  Values x = sample(DType::kFloat32, 60000, 1), y = x;
  Work on_a = a->all_reduce(x.view()), on_b = b->all_reduce(y.view());
  if (world.rank() % 2 == 0) {
    on_a.wait();
    on_b.wait();
  } else {
    on_b.wait();
    on_a.wait();
  }
  EXPECT_EQ(x, y);
  EXPECT_GE(world.size() == 1 ? 1 : a->traffic().all_reduce, 1);
  EXPECT_EQ(world.traffic().all_reduce, 0);
}

void mesh_groups(Communicator& world) {
  ParallelDims dims;
  dims.tensor = world.size() % 2 == 0 ? 2 : 1;
  dims.data = world.size() / dims.tensor;
  const ProcessMesh mesh(dims);
  auto tensor = make_group(world, mesh, {Axis::kTensor}, "tensor");
  auto data = make_group(world, mesh, {Axis::kData}, "data");
  EXPECT_EQ(tensor->size(), dims.tensor);
  EXPECT_EQ(data->size(), dims.data);
  EXPECT_EQ(tensor->world_ranks(), mesh.group_of(world.rank(), {Axis::kTensor}));
  EXPECT_EQ(data->world_ranks(), mesh.group_of(world.rank(), {Axis::kData}));
  EXPECT_EQ(data->world_ranks()[data->rank()], world.rank());
  dims.pipeline = 2;
  EXPECT_THROW(make_group(world, ProcessMesh(dims), {Axis::kData}, "data"), Error);
}

}  // namespace

void add_groups(std::vector<Case>& cases) {
  cases.push_back({"SplitMayReorderRanks", reordered, patient()});
  cases.push_back({"SplitMakesDisjointGroupsAndNoneForRanksThatAreNotListed", disjoint_and_absent, patient()});
  cases.push_back({"GroupsSplitFromGroupsKnowTheirWorldRanks", nested, patient()});
  cases.push_back({"OperationsOfSeveralGroupsMayBeWaitedForCrosswise", crosswise, patient(4096)});
  cases.push_back({"MeshAxesBecomeGroups", mesh_groups, patient()});
}

}  // namespace ds::contract
