// Operations that move bytes: gather, broadcast, all_to_all, messages, barrier; and several of them at once.
#include <gtest/gtest.h>

#include <thread>

#include "collectives/traffic_formulas.h"
#include "tests/collectives/contract.h"
#include "tests/collectives/sample_values.h"

namespace ds::contract {
namespace {

constexpr int64_t kCounts[] = {0, 1, 3, 255, 300, 5001, 20001};

uint64_t seed_of(int64_t count, int rank) { return static_cast<uint64_t>(count) * 64 + static_cast<uint64_t>(rank); }

void all_gather(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kInt64, DType::kUInt8})
    for (int64_t count : kCounts) {
      const Values mine = sample(dtype, count, seed_of(count, rank));
      Values out(dtype, count * size), in_place(dtype, count * size);
      std::copy(mine.bytes.begin(), mine.bytes.end(), in_place.bytes.begin() + mine.bytes.size() * rank);
      world.reset_traffic();
      world.all_gather(mine.view(), out.view()).wait();
      EXPECT_EQ(world.traffic().all_gather, all_gather_bytes_sent(count, dtype, size));
      world.all_gather(in_place.slice(count * rank, count), in_place.view()).wait();
      EXPECT_EQ(out, in_place);
      for (int r = 0; r < size; ++r) EXPECT_EQ(part(out, count * r, count), sample(dtype, count, seed_of(count, r)));
    }
}

void broadcast(Communicator& world) {
  for (int root = 0; root < world.size(); ++root)
    for (int64_t count : kCounts) {
      const Values expected = sample(DType::kFloat32, count, seed_of(count, root));
      Values mine = world.rank() == root ? expected : Values(DType::kFloat32, count);
      world.reset_traffic();
      world.broadcast(mine.view(), root).wait();
      EXPECT_EQ(mine, expected) << "root " << root << " count " << count;
      EXPECT_EQ(world.traffic().broadcast,
                broadcast_bytes_sent(count, DType::kFloat32, world.size(), world.rank(), root));
    }
}

void all_to_all(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int64_t count : kCounts) {
    const Values in = sample(DType::kFloat16, count * size, seed_of(count, rank));
    Values out(DType::kFloat16, count * size);
    world.reset_traffic();
    world.all_to_all(in.view(), out.view()).wait();
    EXPECT_EQ(world.traffic().all_to_all, all_to_all_bytes_sent(count * size, DType::kFloat16, size));
    for (int r = 0; r < size; ++r)
      EXPECT_EQ(part(out, count * r, count),
                part(sample(DType::kFloat16, count * size, seed_of(count, r)), count * rank, count));
  }
}

// A ring shift: every rank sends and receives at once, sizes from inline to many pieces.
void messages(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  if (size == 1) return;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int64_t count : kCounts) {
    const Values mine = sample(DType::kFloat32, count, seed_of(count, rank));
    Values got(DType::kFloat32, count);
    world.reset_traffic();
    Work sending = world.send(mine.view(), next, 5);
    world.receive(got.view(), previous, 5).wait();
    sending.wait();
    EXPECT_EQ(got, sample(DType::kFloat32, count, seed_of(count, previous)));
    EXPECT_EQ(world.traffic().point_to_point, count * 4);
  }
}

// Of one tag messages keep their order, long before short; different tags do not wait for each other.
void messages_keep_order(Communicator& world) {
  if (world.size() == 1) return;
  if (world.rank() > 1) return;
  const int peer = 1 - world.rank();
  const int64_t counts[] = {50000, 1, 700, 0, 20000};
  std::vector<Values> sent, got;
  for (int64_t count : counts) {
    sent.push_back(sample(DType::kFloat32, count, seed_of(count, world.rank())));
    got.emplace_back(DType::kFloat32, count);
  }
  Values other = sample(DType::kInt64, 3, 9), other_got(DType::kInt64, 3);
  std::vector<Work> works;
  for (Values& values : sent) works.push_back(world.send(values.view(), peer, 1));
  works.push_back(world.send(other.view(), peer, 2));
  world.receive(other_got.view(), peer, 2).wait();
  EXPECT_EQ(other_got, other);
  for (Values& values : got) works.push_back(world.receive(values.view(), peer, 1));
  for (Work& work : works) work.wait();
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], sample(DType::kFloat32, counts[i], seed_of(counts[i], peer)));
}

// No rank is through before the last one came: the last one's message is there when the barrier is over.
void barrier(Communicator& world) {
  for (int round = 0; round < 10; ++round) {
    Work work = world.barrier();
    while (!work.test()) std::this_thread::yield();
    EXPECT_TRUE(work.test());
    work.wait();
  }
  EXPECT_EQ(world.traffic().total(), 0);
}

// Many operations in flight, waited for in an order that differs from rank to rank.
void overlap(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  constexpr int kNum = 12;
  std::vector<Values> sums, gathered;
  std::vector<std::vector<Values>> expected;
  for (int i = 0; i < kNum; ++i) {
    const int64_t count = i % 3 == 0 ? 5 : 3000 * i + 1;
    expected.emplace_back();
    for (int r = 0; r < size; ++r) expected[i].push_back(sample(DType::kFloat32, count, seed_of(i, r)));
    sums.push_back(expected[i][rank]);
    gathered.emplace_back(DType::kFloat32, count * size);
  }
  std::vector<Work> works;
  for (int i = 0; i < kNum; ++i) {
    works.push_back(world.all_gather(expected[i][rank].view(), gathered[i].view()));
    works.push_back(world.all_reduce(sums[i].view()));
    works.push_back(world.barrier());
  }
  const int num = static_cast<int>(works.size());
  for (int i = 0; i < num; ++i) works[rank % 2 == 0 ? i : num - 1 - i].wait();
  for (int i = 0; i < kNum; ++i) {
    EXPECT_EQ(sums[i], reference_reduction(expected[i], ReduceOp::kSum));
    for (int r = 0; r < size; ++r) {
      const int64_t count = sums[i].count;
      EXPECT_EQ(part(gathered[i], count * r, count), expected[i][r]);
    }
  }
}

void dropped_work_waits(Communicator& world) {
  Values values = sample(DType::kInt64, 30000, 1);
  { Work dropped = world.all_reduce(values.view(), ReduceOp::kMax); }
  EXPECT_EQ(values, sample(DType::kInt64, 30000, 1));
  Work first = world.all_reduce(values.view(), ReduceOp::kMax);
  first = world.barrier();
  first.wait();
  Work nothing;
  EXPECT_TRUE(nothing.test());
  nothing.wait();
}

// More operations than the transport has tags.
void tags_come_round(Communicator& world) {
  int64_t value = 0;
  for (int64_t i = 0; i < 8500; ++i) {
    value = world.rank() == 0 ? i : -1;
    world.broadcast({&value, 1, DType::kInt64}, 0).wait();
    if (value != i) break;
  }
  EXPECT_EQ(value, 8499);
}

}  // namespace

void add_moves(std::vector<Case>& cases) {
  cases.push_back({"AllGatherPutsSlicesInRankOrder", all_gather, patient()});
  cases.push_back({"AllGatherWorksInManySmallPieces", all_gather, patient(64)});
  cases.push_back({"BroadcastReachesAllFromEveryRoot", broadcast, patient()});
  cases.push_back({"BroadcastWorksInManySmallPieces", broadcast, patient(1024)});
  cases.push_back({"AllToAllTransposesSlices", all_to_all, patient()});
  cases.push_back({"AllToAllWorksInManySmallPieces", all_to_all, patient(64)});
  cases.push_back({"MessagesArriveWhole", messages, patient()});
  cases.push_back({"MessagesArriveWholeInManySmallPieces", messages, patient(64)});
  cases.push_back({"MessagesOfOneTagKeepTheirOrder", messages_keep_order, patient(256)});
  cases.push_back({"BarrierEndsOnAllRanks", barrier, patient()});
  cases.push_back({"OverlappingOperationsDoNotMixAndMayBeWaitedForInAnyOrder", overlap, patient(4096)});
  cases.push_back({"AWorkThatIsDroppedWaits", dropped_work_waits, patient()});
  cases.push_back({"SequenceNumbersOutliveTheTags", tags_come_round, patient()});
}

}  // namespace ds::contract
