// The contract over threads of this process, and over the group of one.
#include <gtest/gtest.h>

#include <atomic>

#include "collectives/thread_world.h"
#include "tests/collectives/contract.h"

namespace ds::contract {
namespace {

class ThreadContract : public testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(ThreadContract, Holds) {
  const auto& [one, size] = GetParam();
  std::atomic<int> held = 0;
  run_thread_world(
      size,
      [&](Communicator& world) {
        one.body(world);
        if (!HasFailure()) ++held;
      },
      one.options);
  EXPECT_EQ(held, size) << "ranks on which the whole body held";
}

std::string name_of_parameter(const testing::TestParamInfo<std::tuple<Case, int>>& info) {
  return std::get<0>(info.param).name + "OnRanks" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Every, ThreadContract,
                         testing::Combine(testing::ValuesIn(all_cases()), testing::Values(1, 2, 3, 4, 5, 8)),
                         name_of_parameter);

TEST(SingletonContract, AGroupOfOneNeedsNoMpiAndNoThreads) {
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    auto world = singleton_communicator();
    EXPECT_NO_THROW(one.body(*world));
  }
}

}  // namespace

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

}  // namespace ds::contract
