#include "engine/config/batch_sizes.h"

#include <gtest/gtest.h>

#include "tests/engine/config/job_folder.h"

namespace ds {
namespace {

using test::contains;

struct Case {
  GivenBatchSizes given;
  int64_t ranks;
  BatchSizes want;
};

TEST(BatchSizes, AreSolvedFromAnyOneOrTwo) {
  const Case cases[] = {
      {{8, 2, 2}, 2, {8, 2, 2}},
      {{16, 2, {}}, 2, {16, 2, 4}},
      {{16, {}, 4}, 2, {16, 2, 4}},
      {{{}, 2, 4}, 2, {16, 2, 4}},
      {{16, {}, {}}, 2, {16, 8, 1}},
      {{{}, 3, {}}, 4, {12, 3, 1}},
  };
  for (const auto& one : cases) {
    std::vector<std::string> problems;
    const auto got = solve_batch_sizes(one.given, one.ranks, problems);
    EXPECT_TRUE(problems.empty()) << problems.front();
    EXPECT_EQ(got.train, one.want.train);
    EXPECT_EQ(got.micro, one.want.micro);
    EXPECT_EQ(got.accumulation, one.want.accumulation);
  }
}

std::string why(const GivenBatchSizes& given, int64_t ranks) {
  std::vector<std::string> problems;
  solve_batch_sizes(given, ranks, problems);
  return problems.size() == 1 ? problems.front() : "";
}

TEST(BatchSizes, ThatDoNotFitAreToldWithAllFourNumbers) {
  const auto text = why({10, 4, {}}, 2);
  EXPECT_TRUE(contains(text, "train_batch_size=10")) << text;
  EXPECT_TRUE(contains(text, "train_micro_batch_size_per_gpu=4")) << text;
  EXPECT_TRUE(contains(text, "gradient_accumulation_steps=1")) << text;
  EXPECT_TRUE(contains(text, "data-parallel ranks=2")) << text;
  EXPECT_TRUE(contains(text, "which is 8")) << text;
  EXPECT_TRUE(contains(why({4, {}, {}}, 8), "the micro-batch would be 0"));
  EXPECT_TRUE(contains(why({4, 4, {}}, 2), "the accumulation would be 0"));
  EXPECT_TRUE(contains(why({7, {}, {}}, 2), "train_batch_size=7"));
  EXPECT_TRUE(contains(why({8, 3, 2}, 2), "which is 12"));
}

TEST(BatchSizes, NeedOneOfTheTwoBatchKeys) {
  EXPECT_TRUE(contains(why({{}, {}, 4}, 2), "one is needed"));
  EXPECT_TRUE(contains(why({{}, {}, {}}, 2), "one is needed"));
}

TEST(BatchSizes, NeverDivideByZeroNorOverflow) {
  EXPECT_NE(why({0, {}, {}}, 2), "");
  EXPECT_NE(why({8, 0, {}}, 2), "");
  EXPECT_NE(why({8, {}, 0}, 2), "");
  EXPECT_NE(why({{}, INT64_MAX, INT64_MAX}, 2), "");
}

}  // namespace
}  // namespace ds
