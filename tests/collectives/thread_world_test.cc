// What is special about ranks that are threads, and about builds without a backend.
#include "collectives/thread_world.h"

#include <gtest/gtest.h>

#include "collectives/traffic_formulas.h"
#include "topology/base/error.h"

namespace ds {
namespace {

TEST(ThreadWorld, ARankThatThrowsEndsTheWaitOfTheOthersAtOnce) {
  CommunicatorOptions options;
  options.deadline = std::chrono::hours(1);
  try {
    run_thread_world(
        3,
        [](Communicator& world) {
          if (world.rank() == 1) throw Error(ErrorCode::kNotFinite, "the loss is not a number");
          world.barrier().wait();
        },
        options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the loss is not a number"), std::string::npos) << error.what();
  }
}

TEST(ThreadWorld, AnExceptionDoesNotWaitForOperationsInFlight) {
  CommunicatorOptions options;
  options.deadline = std::chrono::hours(1);
  auto world = thread_world(2, options);
  float value = 1;
  EXPECT_THROW(
      {
        Work work = world[0]->all_reduce({&value, 1, DType::kFloat32});
        throw Error(ErrorCode::kNotFinite, "stop");
      },
      Error);
}

TEST(ThreadWorld, TwoWorldsOfOneProcessKnowNothingOfEachOther) {
  auto a = thread_world(2), b = thread_world(2);
  int64_t x = 1, y = 2;
  Work on_a = a[0]->send({&x, 1, DType::kInt64}, 1), on_b = b[0]->send({&y, 1, DType::kInt64}, 1);
  int64_t got = 0;
  b[1]->receive({&got, 1, DType::kInt64}, 0).wait();
  EXPECT_EQ(got, 2);
  a[1]->receive({&got, 1, DType::kInt64}, 0).wait();
  EXPECT_EQ(got, 1);
}

TEST(ThreadWorld, ABarrierOfManyRanksDisseminates) {
  run_thread_world(70, [](Communicator& world) {
    for (int i = 0; i < 3; ++i) world.barrier().wait();
  });
}

TEST(ThreadWorld, PieceSizesThatMakeNoSenseAreRefused) {
  CommunicatorOptions options;
  options.piece_bytes = 0;
  EXPECT_THROW(thread_world(2, options), Error);
}

TEST(TrafficFormulas, AreTheOnesOfTheDesign) {
  EXPECT_EQ(all_reduce_bytes_sent(4'000'000, DType::kFloat32, 4, 1), 2 * 16'000'000 * 3 / 4);
  EXPECT_EQ(all_reduce_bytes_sent(1, DType::kFloat64, 4, 0), 3 * 8);
  EXPECT_EQ(all_gather_bytes_sent(1000, DType::kBFloat16, 4), 6000);
  EXPECT_EQ(reduce_scatter_bytes_sent(4000, DType::kBFloat16, 4), 6000);
  EXPECT_EQ(broadcast_bytes_sent(300'000, DType::kFloat32, 4, 0, 0), 1'200'000);
  EXPECT_EQ(broadcast_bytes_sent(300'000, DType::kFloat32, 4, 1, 0), 800'000);
  EXPECT_EQ(all_reduce_bytes_sent(1000, DType::kFloat32, 1, 0), 0);
}

}  // namespace
}  // namespace ds
