#include "engine/config/value_rule.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

TEST(ValueRule, HoldsNumbersOfItsRangesOnly) {
  EXPECT_TRUE(in_range(">= 0", 0));
  EXPECT_FALSE(in_range("> 0", 0));
  EXPECT_TRUE(in_range("0..3", 3));
  EXPECT_FALSE(in_range("0..3", 4));
  EXPECT_TRUE(in_range("[0, 1)", 0));
  EXPECT_FALSE(in_range("[0, 1)", 1));
  EXPECT_TRUE(in_range("(0, 1]", 1));
  EXPECT_TRUE(in_range("auto|>= 1", 7));
  EXPECT_TRUE(in_range("", -1e300));
  EXPECT_TRUE(in_range("none|all", 5));
}

TEST(ValueRule, TellsWordsFromRanges) {
  EXPECT_EQ(words_of("auto|>= 1|0..3"), std::vector<std::string>{"auto"});
  EXPECT_EQ(words_of("[0, 1)"), std::vector<std::string>{});
}

TEST(ValueRule, SaysWhatIsWrongWithAValue) {
  EXPECT_EQ(value_problem("integer", ">= 1", "12"), "");
  EXPECT_EQ(value_problem("integer", ">= 1", "three"), "must be an integer");
  EXPECT_EQ(value_problem("integer", "auto|>= 1", "x"), "must be an integer or auto");
  EXPECT_EQ(value_problem("integer", ">= 1", "0"), "must be >= 1");
  EXPECT_EQ(value_problem("integer", "", "1.5"), "must be an integer");
  EXPECT_EQ(value_problem("number", "", "nan"), "must be a number");
  EXPECT_EQ(value_problem("flag", "", "maybe"), "must be true or false");
  EXPECT_EQ(value_problem("flag", "", "On"), "");
  EXPECT_EQ(value_problem("word", "tokens|microbatches", "token"), "must be tokens or microbatches; nearest: tokens");
  EXPECT_EQ(value_problem("number", "config|[0, 1)", "config"), "");
}

}  // namespace
}  // namespace ds
