// The contract over NCCL: over a fake of the CUDA module everywhere, and over the real one where GPUs are.
#include <gtest/gtest.h>

#include <atomic>

#include "collectives/nccl_world.h"
#include "collectives/thread_world.h"
#include "tests/collectives/contract.h"
#include "tests/collectives/staged_communicator.h"
#include "tests/support/fake_cuda.h"

namespace ds::contract {
namespace {

using Parameter = std::tuple<Case, int>;

void run(const Case& one, int size, const CudaSupport& cuda, bool stage) {
  std::atomic<int> held = 0;
  run_thread_world(
      size,
      [&](Communicator& world) {
        auto group = nccl_communicator(world, cuda, world.rank());
        if (stage) group = staged(std::move(group), cuda.module);
        one.body(*group);
        if (!testing::Test::HasFailure()) ++held;
      },
      one.options);
  EXPECT_EQ(held, size) << "ranks on which the whole body held";
}

class NcclContract : public testing::TestWithParam<Parameter> {};

TEST_P(NcclContract, HoldsOverAFakeModule) {
  const auto& [one, size] = GetParam();
  run(one, size, fake_cuda::support(), false);
  EXPECT_EQ(fake_cuda::num_alive(), 0) << "streams, events, memory and communicators that were not given back";
}

class StagedContract : public testing::TestWithParam<Parameter> {};

TEST_P(StagedContract, HoldsOverAFakeModule) {
  const auto& [one, size] = GetParam();
  run(one, size, fake_cuda::support(), true);
  EXPECT_EQ(fake_cuda::num_alive(), 0) << "streams, events, memory and communicators that were not given back";
}

class GpuContract : public testing::TestWithParam<Case> {};

TEST_P(GpuContract, HoldsOverNccl) {
  const CudaSupport cuda = find_cuda();
  if (!cuda.usable()) GTEST_SKIP() << "skipped: no GPU: " << cuda.absence;
  if (!cuda.nccl_absence().empty()) GTEST_SKIP() << "skipped: no NCCL: " << cuda.nccl_absence();
  // Under kFastest NCCL sums bfloat16 in an order of its own; the contract's case knows MPI, which cannot.
  if (GetParam().options.reduction == Reduction::kFastest) GTEST_SKIP() << "skipped: NCCL's own order of sums";
  for (int size = 1; size <= std::min(cuda.num_devices, 4); ++size) run(GetParam(), size, cuda, true);
}

std::string name_of_both(const testing::TestParamInfo<Parameter>& info) {
  return std::get<0>(info.param).name + "OnRanks" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Every, NcclContract,
                         testing::Combine(testing::ValuesIn(all_cases()), testing::Values(1, 2, 3, 5)), name_of_both);
INSTANTIATE_TEST_SUITE_P(Every, StagedContract,
                         testing::Combine(testing::ValuesIn(all_cases()), testing::Values(1, 4)), name_of_both);
INSTANTIATE_TEST_SUITE_P(Every, GpuContract, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

}  // namespace

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

}  // namespace ds::contract
