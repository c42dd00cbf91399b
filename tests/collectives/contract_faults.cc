// Ranks that disagree or do not come: an error that names them, never a hang.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/collectives/contract.h"
#include "tests/collectives/sample_values.h"
#include "topology/base/error.h"

namespace ds::contract {
namespace {

// The error that `work` ends with.
template <class Function>
std::string message_of(ErrorCode code, Function work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Every fault happens on a group of its own, of no use afterwards.
std::unique_ptr<Communicator> victim(Communicator& world, const std::string& name) {
  std::vector<int> all(world.size());
  std::iota(all.begin(), all.end(), 0);
  return world.split(all, name);
}

void expect_both_named(const std::string& text, const std::string& one, const std::string& other) {
  EXPECT_TRUE(contains(text, one)) << text;
  EXPECT_TRUE(contains(text, other)) << text;
}

void different_counts(Communicator& world) {
  if (world.size() == 1) return;
  for (int64_t base : {10, 60000}) {
    auto group = victim(world, "victim");
    const int64_t count = base + (world.rank() == 0 ? 1 : 0);
    Values values(DType::kFloat32, count);
    const std::string text =
        message_of(ErrorCode::kInternal, [&] { group->all_reduce(values.view()).wait(); });
    expect_both_named(text, "of " + std::to_string(base) + " float32", "of " + std::to_string(base + 1) + " float32");
    EXPECT_TRUE(contains(text, "group victim")) << text;
    EXPECT_TRUE(contains(text, "rank 0 (world 0)")) << text;
    world.barrier().wait();
  }
}

void different_operations(Communicator& world) {
  if (world.size() == 1) return;
  auto group = victim(world, "victim");
  Values values(DType::kFloat32, 4 * world.size()), own(DType::kFloat32, 4);
  const std::string text = message_of(ErrorCode::kInternal, [&] {
    if (world.rank() == 0)
      group->all_gather(own.view(), values.view()).wait();
    else
      group->reduce_scatter(values.view(), own.view()).wait();
  });
  expect_both_named(text, "all_gather #0", "reduce_scatter #0");
  world.barrier().wait();
}

void different_types(Communicator& world) {
  if (world.size() == 1) return;
  auto group = victim(world, "victim");
  Values values(world.rank() == 0 ? DType::kFloat16 : DType::kBFloat16, 5000);
  const std::string text = message_of(ErrorCode::kInternal, [&] { group->all_reduce(values.view()).wait(); });
  expect_both_named(text, "bfloat16", "float16");
  world.barrier().wait();
}

void different_message_sizes(Communicator& world) {
  if (world.size() == 1) return;
  auto group = victim(world, "victim");
  Values values(DType::kFloat32, world.rank() == 0 ? 3 : 4);
  if (world.rank() == 0) {
    try {  // short messages leave before anybody looks at them; backends that ask first tell the sender too
      group->send(values.view(), 1, 3).wait();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInternal) << error.what();
    }
  }
  if (world.rank() == 1) {
    const std::string text = message_of(ErrorCode::kInternal, [&] { group->receive(values.view(), 0, 3).wait(); });
    expect_both_named(text, "of 3 float32, tag 3", "of 4 float32, tag 3");
  }
  world.barrier().wait();
}

void different_lists(Communicator& world) {
  if (world.size() < 2) return;
  const std::vector<int> list = world.rank() == 0 ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
  const std::string text = message_of(ErrorCode::kInternal, [&] { world.split(list, "quarrel"); });
  EXPECT_TRUE(contains(text, "quarrel")) << text;
  EXPECT_THROW(world.split({0, 0}, "twice"), Error);
  EXPECT_THROW(world.split({world.size()}, "outside"), Error);
}

// The last rank never comes. All else is waited for by test(), which knows no deadline: a busy machine is no fault.
void missing_rank(Communicator& world) {
  if (world.size() == 1) return;
  const int last = world.size() - 1;
  for (Work start = world.barrier(); !start.test();) std::this_thread::yield();
  if (world.rank() == last) return;
  int64_t value = 1;
  const std::string text =
      message_of(ErrorCode::kDeadline, [&] { world.all_reduce({&value, 1, DType::kInt64}).wait(); });
  const std::string size = std::to_string(world.size()), who = std::to_string(last);
  EXPECT_TRUE(contains(text, "collectives: all_reduce #1 on group world (size " + size + ")")) << text;
  EXPECT_TRUE(contains(text, "waited 1 s for rank " + who + " (world " + who + ")")) << text;
}

void wrong_peers(Communicator& world) {
  Values values(DType::kFloat32, 1);
  EXPECT_THROW(world.send(values.view(), world.rank()), Error);
  EXPECT_THROW(world.receive(values.view(), world.size()), Error);
  EXPECT_THROW(world.send(values.view(), -1), Error);
  EXPECT_THROW(world.broadcast(values.view(), world.size()), Error);
  EXPECT_THROW(world.send(values.view(), world.rank() == 0 ? world.size() - 1 : 0, -1), Error);
}

}  // namespace

void add_faults(std::vector<Case>& cases) {
  CommunicatorOptions hasty = patient();
  hasty.deadline = std::chrono::seconds(1);
  cases.push_back({"RanksThatPassDifferentCountsGetAnErrorThatNamesBoth", different_counts, patient()});
  cases.push_back({"RanksThatCallDifferentOperationsGetAnErrorThatNamesBoth", different_operations, patient()});
  cases.push_back({"RanksThatPassDifferentTypesGetAnErrorThatNamesBoth", different_types, patient()});
  cases.push_back({"AMessageOfAnotherSizeThanExpectedIsAnError", different_message_sizes, patient()});
  cases.push_back({"SplitWithListsThatContradictIsAnErrorOnAllRanks", different_lists, patient()});
  cases.push_back({"ADeadlineNamesOperationNumberGroupAndMissingRank", missing_rank, hasty});
  cases.push_back({"PeersRootsAndTagsThatDoNotExistAreRefused", wrong_peers, patient()});
}

}  // namespace ds::contract
