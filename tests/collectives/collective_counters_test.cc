// What a rank shows of its collectives to who looks from outside.
#include "collectives/collective_counters.h"

#include <gtest/gtest.h>

#include <thread>

#include "collectives/backends/thread/thread_transport.h"
#include "collectives/exchange/exchange_communicator.h"

namespace ds {
namespace {

struct Rank {
  Rank(const std::shared_ptr<Mailboxes>& mailboxes, int rank, int size)
      : world(std::make_shared<ThreadTransport>(mailboxes, rank, size), "world", {}, {&entered, &done, &moved}) {}
  std::atomic<uint64_t> entered{0}, done{0}, moved{0};
  ExchangeCommunicator world;
};

struct TwoRanks : ::testing::Test {
  std::shared_ptr<Mailboxes> mailboxes = std::make_shared<Mailboxes>(2);
  Rank a{mailboxes, 0, 2}, b{mailboxes, 1, 2};
};

TEST_F(TwoRanks, ACollectiveIsDoneOnlyWhenAllHaveEntered) {
  float x = 1, y = 2;
  Work first = a.world.all_reduce({&x, 1, DType::kFloat32}, ReduceOp::kSum);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(first.test());
  EXPECT_EQ(a.entered, 1u);
  EXPECT_EQ(a.done, 0u);
  EXPECT_EQ(b.entered, 0u);
  Work second = b.world.all_reduce({&y, 1, DType::kFloat32}, ReduceOp::kSum);
  EXPECT_EQ(b.entered, 1u);
  while (!first.test() || !second.test()) {
  }
  EXPECT_EQ(a.done, 1u);
  EXPECT_EQ(b.done, 1u);
  EXPECT_GT(a.moved, 0u);
}

TEST_F(TwoRanks, MessagesAreNoCollectivesButMove) {
  int64_t out = 7, in = 0;
  Work sent = a.world.send({&out, 1, DType::kInt64}, 1, 0), received = b.world.receive({&in, 1, DType::kInt64}, 0, 0);
  while (!sent.test() || !received.test()) {
  }
  EXPECT_EQ(a.entered, 0u);
  EXPECT_EQ(b.done, 0u);
  EXPECT_GT(b.moved, 0u);
}

// All ranks of the world enter a group of all of them, whatever its name; a smaller one says nothing about the others.
TEST_F(TwoRanks, OperationsOfGroupsCountWhenAllRanksTakePart) {
  auto run = [](Rank& rank) {
    auto alone = rank.world.split({rank.world.rank()}, "alone");
    const uint64_t before = rank.entered;
    alone->barrier().wait();
    EXPECT_EQ(rank.entered, before);
    auto all = rank.world.split({1, 0}, "data");
    const uint64_t between = rank.entered;
    all->barrier().wait();
    EXPECT_EQ(rank.entered, between + 1);
    EXPECT_EQ(rank.done, rank.entered);
  };
  std::jthread other([&] { run(b); });
  run(a);
}

}  // namespace
}  // namespace ds
