#include "hostfiles/host_name.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

TEST(HostName, AcceptsNamesAndAddresses) {
  for (const char* name : {"a", "A-1", "a_b", "a.b.c", "10.0.0.1", "7", "2001:db8::10", "fe80::1%eth0", "::1"}) EXPECT_TRUE(is_host_name(name)) << name;
}
TEST(HostName, RefusesWhatCouldHarm) {
  for (const char* name : {"", "-x", "a b", "a,b", "a;b", "a$b", "%bad", "a:4", "a\n", "b\xc3\xa4r", "fe80::1%", "[::1]"}) EXPECT_FALSE(is_host_name(name)) << name;
}
TEST(HostName, HasOneIdentityForAllSpellings) {
  EXPECT_EQ(host_identity("Node1."), host_identity("node1"));
  EXPECT_EQ(host_identity("127.0.1.1"), "localhost");
  EXPECT_EQ(host_identity("::1"), "localhost");
  EXPECT_EQ(host_identity("2001:DB8:0::10"), host_identity("2001:db8::10"));
  EXPECT_NE(host_identity("a.x.com"), host_identity("a.y.com"));
}
TEST(HostName, QuotesUnprintableBytesAndCutsLongText) {
  EXPECT_EQ(quote("a\n\xff"), "'a\\x0a\\xff'");
  EXPECT_LT(quote(std::string(10000, 'x')).size(), 100u);
}

}  // namespace
}  // namespace ds
