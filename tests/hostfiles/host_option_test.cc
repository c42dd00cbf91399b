#include "hostfiles/host_option.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

std::string hosts(const std::string& list) {
  std::string result;
  for (const Host& host : parse_host_option(list).hosts)
    result += host.name + ":" + (host.slots ? std::to_string(*host.slots) : "-") + " ";
  return result;
}

TEST(HostOption, GivesAPlainHostOneSlot) { EXPECT_EQ(hosts("a,b:2"), "a:1 b:2 "); }
TEST(HostOption, AddsTheSlotsOfRepeatedNames) {
  EXPECT_EQ(hosts("a,a,b:3"), "a:2 b:3 ");
  EXPECT_EQ(hosts("localhost,localhost,localhost"), "localhost:3 ");
  EXPECT_EQ(hosts("a,a:2,A"), "a:4 ");
}
TEST(HostOption, LeavesAStarToTheHost) { EXPECT_EQ(hosts("a:*,b"), "a:- b:1 "); }
TEST(HostOption, ExpandsRanges) { EXPECT_EQ(hosts("n[1-2]:3,m[1,2]"), "n1:3 n2:3 m1:1 m2:1 "); }
TEST(HostOption, AcceptsIpv6WithAndWithoutBrackets) { EXPECT_EQ(hosts("2001:db8::10,[2001:db8::11]:4"), "2001:db8::10:1 2001:db8::11:4 "); }
TEST(HostOption, KeepsTheUser) { EXPECT_EQ(parse_host_option("eve@a:2").hosts.at(0).user, "eve"); }

TEST(HostOption, RefusesBadItemsAllAtOnce) {
  expect_words(usage_error_of([] { parse_host_option("a:x,b:-1,c%,-d,e:1:2"); }), {"'a:x'", "'b:-1'", "'c%'", "'-d'", "'e:1:2'"});
  for (const char* list : {"", ",", "a:", "a:65536", "n[2-1]", "@a", "a:65535,a", "u@a,v@a"})
    EXPECT_FALSE(usage_error_of([&] { parse_host_option(list); }).empty()) << list;
}

TEST(HostOption, BoundsTheNumberOfNamesAndOfProblems) {
  expect_words(usage_error_of([] { parse_host_option("n[0-65534],a,a"); }), {"more than 65536 hosts"});
  EXPECT_EQ(parse_host_option("n[0-65534],a").hosts.size(), 65536u);
  std::string list;
  for (int i = 0; i < 1000; ++i) list += "n[0-65535][x],";
  const std::string said = usage_error_of([&] { parse_host_option(list); });
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 29) << said;
}

}  // namespace
}  // namespace ds
