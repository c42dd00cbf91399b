// Sums and extremes: bits equal to the serial oracle, whatever the sizes.
#include <gtest/gtest.h>

#include "collectives/traffic_formulas.h"
#include "tests/collectives/contract.h"
#include "tests/collectives/sample_values.h"
#include "topology/base/error.h"

namespace ds::contract {
namespace {

constexpr DType kTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kFloat16, DType::kFloat64,
                            DType::kInt64,   DType::kInt32,    DType::kUInt16,  DType::kUInt8};
constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMin};

// What each rank contributes; every rank can compute all of it.
std::vector<Values> leaves(const Communicator& world, DType dtype, int64_t count, uint64_t seed) {
  std::vector<Values> all;
  for (int rank = 0; rank < world.size(); ++rank)
    all.push_back(sample(dtype, count, seed * 100 + static_cast<uint64_t>(rank)));
  return all;
}

void check_all_reduce(Communicator& world, DType dtype, int64_t count, ReduceOp op, uint64_t seed) {
  auto all = leaves(world, dtype, count, seed);
  Values mine = all[world.rank()];
  world.reset_traffic();
  world.all_reduce(mine.view(), op).wait();
  EXPECT_EQ(mine, reference_reduction(all, op)) << name_of(dtype) << " x " << count << " over " << world.size();
  EXPECT_EQ(world.traffic().all_reduce, all_reduce_bytes_sent(count, dtype, world.size(), world.rank()));
  EXPECT_EQ(world.traffic().total(), world.traffic().all_reduce);
}

void all_reduce_all_types(Communicator& world) {
  uint64_t seed = 0;
  for (DType dtype : kTypes)
    for (ReduceOp op : kOps)
      for (int64_t count : {0, 1, 7, 301}) check_all_reduce(world, dtype, count, op, ++seed);
}

void all_reduce_many_sizes(Communicator& world) {
  for (DType dtype : {DType::kFloat32, DType::kBFloat16})
    for (int64_t count : {2, 3, 255, 256, 257, 511, 512, 513, 4096, 16385, 32769})
      check_all_reduce(world, dtype, count, ReduceOp::kSum, static_cast<uint64_t>(count));
}

void reduce_scatter_all_types(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  uint64_t seed = 1000;
  for (DType dtype : kTypes)
    for (ReduceOp op : kOps)
      for (int64_t slice : {0, 1, 33, 1003}) {
        auto all = leaves(world, dtype, slice * size, ++seed);
        const Values expected = part(reference_reduction(all, op), slice * rank, slice);
        const Values mine = all[rank];
        Values out(dtype, slice);
        world.reset_traffic();
        world.reduce_scatter(mine.view(), out.view(), op).wait();
        EXPECT_EQ(out, expected) << name_of(dtype) << " x " << slice;
        EXPECT_EQ(mine, all[rank]) << "the input must not change";
        EXPECT_EQ(world.traffic().reduce_scatter, reduce_scatter_bytes_sent(slice * size, dtype, size));
      }
}

void reduce_scatter_in_place(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int64_t slice : {1, 300, 50001}) {
    auto all = leaves(world, DType::kFloat32, slice * size, static_cast<uint64_t>(slice));
    Values mine = all[rank];
    world.reduce_scatter(mine.view(), mine.slice(slice * rank, slice), ReduceOp::kSum).wait();
    EXPECT_EQ(part(mine, slice * rank, slice),
              part(reference_reduction(all, ReduceOp::kSum), slice * rank, slice));
  }
}

// all_reduce equals reduce_scatter and all_gather bit for bit: what makes ZeRO stages agree.
void all_reduce_is_scatter_and_gather(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int64_t slice : {1, 64, 20000}) {
    Values scattered = sample(DType::kBFloat16, slice * size, static_cast<uint64_t>(77 + rank));
    Values reduced = scattered;
    world.all_reduce(reduced.view(), ReduceOp::kSum).wait();
    Values own(DType::kBFloat16, slice);
    world.reduce_scatter(scattered.view(), own.view(), ReduceOp::kSum).wait();
    world.all_gather(own.view(), scattered.view()).wait();
    EXPECT_EQ(scattered, reduced);
  }
}

void fastest_is_close(Communicator& world) {
  const int size = world.size(), rank = world.rank();
  for (int64_t slice : {1, 5000}) {
    std::vector<double> x(slice * size), out(slice);
    for (int64_t i = 0; i < slice * size; ++i) x[i] = static_cast<double>(i % 97 + rank);
    world.reduce_scatter({x.data(), slice * size, DType::kFloat64}, {out.data(), slice, DType::kFloat64}).wait();
    world.all_reduce({x.data(), slice * size, DType::kFloat64}).wait();
    for (int64_t i = 0; i < slice * size; ++i)
      EXPECT_EQ(x[i], static_cast<double>(i % 97) * size + size * (size - 1) / 2);  // whole numbers: exact in any order
    for (int64_t i = 0; i < slice; ++i) EXPECT_EQ(out[i], x[slice * rank + i]);
  }
  check_all_reduce(world, DType::kBFloat16, 3001, ReduceOp::kSum, 5);  // no MPI type: as under kFixed
}

void wrong_counts_are_refused(Communicator& world) {
  Values in(DType::kFloat32, 7 * world.size()), out(DType::kFloat32, 8);
  EXPECT_THROW(world.reduce_scatter(in.view(), out.view()), Error);
  EXPECT_THROW(world.all_gather(in.view(), out.view()), Error);
  Values other_type(DType::kBFloat16, 7);
  EXPECT_THROW(world.reduce_scatter(in.view(), other_type.view()), Error);
}

}  // namespace

void add_reductions(std::vector<Case>& cases) {
  CommunicatorOptions fastest = patient();
  fastest.reduction = Reduction::kFastest;
  cases.push_back({"AllReduceHasTheBitsOfTheSerialTreeForEveryType", all_reduce_all_types, patient()});
  cases.push_back({"AllReduceHasTheSameBitsInManySizes", all_reduce_many_sizes, patient()});
  cases.push_back({"AllReduceHasTheSameBitsInManySmallPieces", all_reduce_many_sizes, patient(1024)});
  cases.push_back({"AllReduceHasTheSameBitsInPiecesThatDoNotDivideTheSlices", all_reduce_many_sizes, patient(5000)});
  cases.push_back({"ReduceScatterHasTheBitsOfTheSerialTreeForEveryType", reduce_scatter_all_types, patient()});
  cases.push_back({"ReduceScatterHasTheSameBitsInManySmallPieces", reduce_scatter_all_types, patient(1024)});
  cases.push_back({"ReduceScatterWorksInPlace", reduce_scatter_in_place, patient(16384)});
  cases.push_back({"AllReduceEqualsReduceScatterThenAllGather", all_reduce_is_scatter_and_gather, patient(4096)});
  cases.push_back({"FastestReducesWholeNumbersExactly", fastest_is_close, fastest});
  cases.push_back({"CountsThatDoNotFitAreRefusedBeforeAnythingIsSent", wrong_counts_are_refused, patient()});
}

}  // namespace ds::contract
