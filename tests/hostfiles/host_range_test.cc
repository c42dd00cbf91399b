#include "hostfiles/host_range.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

std::string names(const std::string& item) { return join(expand_host_range(item), " "); }
std::string refused(const std::string& item) {
  return usage_error_of([&] { expand_host_range(item); });
}

TEST(HostRange, LeavesAPlainNameAlone) {
  EXPECT_EQ(names("n-1"), "n-1");
  EXPECT_EQ(names("a.b.c"), "a.b.c");
}

TEST(HostRange, ExpandsRangesAndSingles) {
  EXPECT_EQ(names("n[1-3]"), "n1 n2 n3");
  EXPECT_EQ(names("linux[1,2]"), "linux1 linux2");
  EXPECT_EQ(names("nodes[006,011]"), "nodes006 nodes011");
  EXPECT_EQ(names("n[5,1-2,5]"), "n5 n1 n2 n5");
}

TEST(HostRange, KeepsTheWidthOfLeadingZeros) {
  EXPECT_EQ(names("n[09-11]"), "n09 n10 n11");
  EXPECT_EQ(names("host-[009-011]"), "host-009 host-010 host-011");
  EXPECT_EQ(names("n[9-11]"), "n9 n10 n11");
}

TEST(HostRange, MultipliesBrackets) { EXPECT_EQ(names("rack[0-1]n[1-2]"), "rack0n1 rack0n2 rack1n1 rack1n2"); }

TEST(HostRange, KeepsATextAfterTheBracket) {
  EXPECT_EQ(names("n[1-3]-ib"), "n1-ib n2-ib n3-ib");
  EXPECT_EQ(names("n[1-2].dom"), "n1.dom n2.dom");
}

TEST(HostRange, RefusesMalformedRangesQuotingThem) {
  expect_words(refused("n[2-1]"), {"n[2-1]", "backwards"});
  for (const char* item : {"n[]", "n[a-c]", "n[1-]", "n[-1]", "n[1 - 2]", "n[1,]", "n[1-2-3]", "n[[1]]", "n[1-2", "n1]", "n[0x1]",
                           "n[1-99999999999999999999]"})
    expect_words(refused(item), {item});
}

TEST(HostRange, BoundsTheNumberOfHosts) {
  EXPECT_EQ(expand_host_range("n[0-65535]").size(), kMaxRangeHosts);
  expect_words(refused("n[0-65536]"), {"65536"});
  expect_words(refused("n[0-999999999999999999]"), {"65536"});
  expect_words(refused("n[0-999][0-999]"), {"65536"});
}

TEST(HostRange, BoundsBracketsAndTheLengthOfNames) {
  std::string item = "n";
  for (int i = 0; i < 16; ++i) item += "[0]";
  EXPECT_EQ(names(item), "n" + std::string(16, '0'));
  expect_words(refused(item + "[0]"), {"more than 16 brackets"});
  const std::string long_name(2000, 'n');
  EXPECT_EQ(names(long_name), long_name);
  expect_words(refused(long_name + "[0-65535]"), {"names of more than 1024 characters"});
}

TEST(HostRange, SplitsListsAtCommasOutsideBrackets) {
  EXPECT_EQ(join(split_host_list("a,n[1,2],b"), "|"), "a|n[1,2]|b");
  EXPECT_EQ(join(split_host_list(" a,, b c,"), "|"), "a|b|c");
  EXPECT_TRUE(split_host_list(",").empty());
}

}  // namespace
}  // namespace ds
