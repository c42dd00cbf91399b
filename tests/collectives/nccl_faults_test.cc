// What only NCCL can do to a group: asynchronous errors, communicators that must be aborted, ranks without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "collectives/nccl_world.h"
#include "collectives/thread_world.h"
#include "tests/collectives/contract.h"
#include "tests/support/fake_cuda.h"
#include "topology/base/error.h"

namespace ds {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class Function>
std::string error_of(ErrorCode code, Function f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

std::string bytes(const float* values, int n) { return {reinterpret_cast<const char*>(values), sizeof(float) * n}; }

TEST(NcclFaults, ARankWithoutAGpuIsNamedOnAllRanks) {
  std::atomic<int> refused = 0;
  run_thread_world(3, [&](Communicator& world) {
    const CudaSupport cuda = fake_cuda::support(world.rank() == 1 ? 0 : 8);
    const std::string text = error_of(ErrorCode::kUnavailable, [&] { nccl_communicator(world, cuda, 0); });
    EXPECT_TRUE(contains(text, "rank 1 (world 1): no CUDA device is visible")) << text;
    ++refused;
  }, contract::patient());
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(fake_cuda::num_alive(), 0);
}

TEST(NcclFaults, ADeviceThatIsNotThereIsNamedOnAllRanks) {
  run_thread_world(2, [&](Communicator& world) {
    const std::string text = error_of(
        ErrorCode::kUnavailable, [&] { nccl_communicator(world, fake_cuda::support(), world.rank() == 0 ? 99 : 0); });
    EXPECT_TRUE(contains(text, "rank 0 (world 0): device 99: cudaErrorInvalidDevice (101)")) << text;
  }, contract::patient());
}

TEST(NcclFaults, WithoutAModuleTheReasonIsTheLoaders) {
  auto world = singleton_communicator();
  const std::string text = error_of(ErrorCode::kUnavailable, [&] { nccl_communicator(*world, find_cuda({}), 0); });
  EXPECT_TRUE(contains(text, "built without CUDA")) << text;
}

TEST(NcclFaults, AnAsynchronousErrorEndsTheWaitAndAbortsTheGroup) {
  const int aborted_before = fake_cuda::num_aborted();
  run_thread_world(2, [&](Communicator& bootstrap) {
    auto world = nccl_communicator(bootstrap, fake_cuda::support(), bootstrap.rank());
    bootstrap.barrier().wait();
    if (bootstrap.rank() == 0) {  // the other one never calls: only the asynchronous error can end this
      float value = 1;
      Work work = world->all_reduce({&value, 1, DType::kFloat32});
      fake_cuda::break_network(true);
      const std::string text = error_of(ErrorCode::kInternal, [&] { work.wait(); });
      EXPECT_TRUE(contains(text, "group world (size 2): NCCL: aborted: asynchronous error: remote process")) << text;
      const std::string later =
          error_of(ErrorCode::kInternal, [&] { world->all_reduce({&value, 1, DType::kFloat32}).wait(); });
      EXPECT_TRUE(contains(later, "aborted: asynchronous error")) << later;
      fake_cuda::break_network(false);
    }
    bootstrap.barrier().wait();
  }, contract::patient());
  EXPECT_GT(fake_cuda::num_aborted(), aborted_before);
}

TEST(NcclFaults, ADeadlineAbortsTheCommunicatorAtOnce) {
  CommunicatorOptions hasty = contract::patient();
  hasty.deadline = std::chrono::seconds(1);
  run_thread_world(2, [&](Communicator& bootstrap) {
    auto world = nccl_communicator(bootstrap, fake_cuda::support(), bootstrap.rank());
    for (Work start = bootstrap.barrier(); !start.test();) std::this_thread::yield();
    if (bootstrap.rank() == 1) return;
    float value = 1;
    Work work = world->all_reduce({&value, 1, DType::kFloat32});
    const int aborted_before = fake_cuda::num_aborted();
    error_of(ErrorCode::kDeadline, [&] { work.wait(); });
    EXPECT_EQ(fake_cuda::num_aborted(), aborted_before + 1) << "while the work is still held";
    error_of(ErrorCode::kInternal, [&] { work.wait(); });
  }, hasty);
}

TEST(NcclFaults, AFailedGroupLeavesItsParentUsable) {
  run_thread_world(2, [&](Communicator& bootstrap) {
    auto world = nccl_communicator(bootstrap, fake_cuda::support(), bootstrap.rank());
    auto group = world->split({0, 1}, "victim");
    std::vector<float> values(10 + bootstrap.rank(), 1.0f);
    error_of(ErrorCode::kInternal, [&] {
      group->all_reduce({values.data(), static_cast<int64_t>(values.size()), DType::kFloat32}).wait();
    });
    group.reset();
    world->all_reduce({values.data(), 10, DType::kFloat32}).wait();
    EXPECT_EQ(values[9], 2.0f);
  }, contract::patient());
}

// Losses and agreements are host memory; they take the host's way within the same group.
TEST(NcclGroups, TensorsInHostMemoryTravelOverTheHost) {
  static float on_host[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}};
  fake_cuda::set_host_memory(on_host, on_host + 2);
  run_thread_world(2, [&](Communicator& bootstrap) {
    auto world = nccl_communicator(bootstrap, fake_cuda::support(), bootstrap.rank());
    bootstrap.barrier().wait();
    if (bootstrap.rank() == 0) fake_cuda::break_network(true);  // NCCL would fail now
    bootstrap.barrier().wait();
    float* mine = on_host[bootstrap.rank()];
    world->all_reduce({mine, 4, DType::kFloat32}).wait();
    const float expected[] = {2, 4, 6, 8};
    EXPECT_EQ(bytes(mine, 4), bytes(expected, 4));
    bootstrap.barrier().wait();
    if (bootstrap.rank() == 0) fake_cuda::break_network(false);
    bootstrap.barrier().wait();
  }, contract::patient());
  fake_cuda::set_host_memory(nullptr, nullptr);
}

}  // namespace
}  // namespace ds
