#include "topology/base/text.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

TEST(JsonDepth, CountsBracketsOutsideStrings) {
  EXPECT_EQ(json_depth(""), 0u);
  EXPECT_EQ(json_depth("{}"), 1u);
  EXPECT_EQ(json_depth(R"({"a": [1, [2]], "b": [3]})"), 3u);
  EXPECT_EQ(json_depth(R"({"[[[": "\"[[", "\\": []})"), 2u);
  EXPECT_EQ(json_depth("]]}}[["), 2u);
  EXPECT_EQ(json_depth(std::string(1000000, '[')), 1000000u);
}

TEST(Nearest, FindsWhatWasMeantAndNothingForOtherWords) {
  EXPECT_EQ(nearest("stepps", {"seed", "steps"}), "steps");
  EXPECT_EQ(nearest("checkpoint", {"seed", "steps"}), "");
  EXPECT_EQ(nearest("l", {"np", "n", "tp"}), "") << "nothing of it is left";
  EXPECT_EQ(nearest("nq", {"np", "tp"}), "np");
  EXPECT_EQ(nearest(std::string(1000000, 'a'), {"seed", "aaaa"}), "");
}

TEST(ReadFile, NamesThePathThatCannotBeRead) {
  const std::string long_name(300, 'a');
  expect_words(usage_error_of([&] { read_file("/" + long_name); }), {"cannot read /aaa", "too long"});
  expect_words(usage_error_of([] { read_file("/proc/self/no/file"); }), {"cannot read /proc/self/no/file"});
  expect_words(usage_error_of([] { read_file("/"); }), {"is a folder"});
  expect_words(usage_error_of([] { read_file("/proc/self/mem"); }), {"cannot read /proc/self/mem: Input/output error"});
  EXPECT_EQ(read_file_if_there("/proc/self/no/file"), std::nullopt);
  expect_words(usage_error_of([] { read_file_if_there("/"); }), {"cannot read /: is a folder"});
}

}  // namespace
}  // namespace ds
