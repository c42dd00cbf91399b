#include "hostfiles/rankfile.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Cpus = std::vector<int>;

Rankfile parse(const std::string& text) { return parse_rankfile(text, "ranks"); }
std::string refused(const std::string& text) {
  return usage_error_of([&] { parse(text); });
}

// two sockets of three cores
Cluster cluster() {
  Cluster cluster;
  for (const char* name : {"a", "b"})
    cluster.hosts.push_back({.name = name, .slots = 6, .cores = {0, 2, 4, 6, 8, 10}, .socket_of_core = {0, 0, 0, 1, 1, 1}});
  return cluster;
}

Cpus cpus(const std::string& slots) { return place_ranks(cluster(), parse("rank 0=a slot=" + slots)).at(0).cpus; }

TEST(Rankfile, PlacesRanksOnHostsAndCores) {
  const auto places = place_ranks(cluster(), parse("# map\nrank 1=a slot=1:0-2\nrank 0=b slot=0\r\nrank 2 = a\n"));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].host, 1u);
  EXPECT_EQ(places[0].cpus, (Cpus{0}));
  EXPECT_EQ(places[1].host, 0u);
  EXPECT_EQ(places[1].cpus, (Cpus{6, 8, 10}));
  EXPECT_EQ(places[2].local_rank, 1);
  EXPECT_TRUE(places[2].cpus.empty());
}

TEST(Rankfile, UnderstandsEveryFormOfCores) {
  EXPECT_EQ(cpus("1"), (Cpus{2}));
  EXPECT_EQ(cpus("0-2,5"), (Cpus{0, 2, 4, 10}));
  EXPECT_EQ(cpus("1:*"), (Cpus{6, 8, 10}));
  EXPECT_EQ(cpus("0:0,1:1"), (Cpus{0, 8}));
  EXPECT_EQ(cpus("1:0,2"), (Cpus{6, 10}));
  EXPECT_EQ(cpus("*"), (Cpus{0, 2, 4, 6, 8, 10}));
}

TEST(Rankfile, UnderstandsRelativeHosts) {
  EXPECT_EQ(place_ranks(cluster(), parse("rank 0=+n1 slot=0\n")).at(0).host, 1u);
  expect_words(usage_error_of([] { place_ranks(cluster(), parse("rank 0=+n2 slot=0\n")); }), {"ranks:1:", "+n2", "2 hosts"});
  expect_words(usage_error_of([] { hosts_of(parse("rank 0=+n0\n")); }), {"ranks:1:", "--hostfile"});
}

TEST(Rankfile, CanBeTheListOfHosts) {
  const Cluster hosts = hosts_of(parse("rank 0=b\nrank 1=a\nrank 2=B\n"));
  ASSERT_EQ(hosts.hosts.size(), 2u);
  EXPECT_EQ(hosts.hosts[0].name, "b");
  EXPECT_EQ(hosts.hosts[0].slots, 2);
}

TEST(Rankfile, NamesLineAndTextOfEveryProblem) {
  expect_words(refused("rank 0=a slot=x\nrnk 1=a\nrank b=a\nrank 2=a,b\nrank 3=a core=1\nrank 4=a slot=2-1\nrank=1\n"),
               {"ranks:1:", "'x'", "ranks:2:", "'rnk 1=a'", "ranks:3:", "'b'", "ranks:4:", "'a,b'", "ranks:5:", "ranks:6:", "backwards", "ranks:7:"});
}

TEST(Rankfile, NeedsEveryRankOnce) {
  expect_words(refused("rank 0=a\nrank 2=a\n"), {"rank 1 is missing"});
  expect_words(refused("rank 0=a\nrank 1=a\nrank 0=b\n"), {"rank 0 is given twice", "lines 1 and 3"});
  expect_words(refused("# nothing\n"), {"ranks has no ranks"});
}

TEST(Rankfile, IsCheckedAgainstTheHosts) {
  expect_words(usage_error_of([] { place_ranks(cluster(), parse("rank 0=c slot=0\nrank 1=a slot=6\nrank 2=a slot=2:0\nrank 3=b slot=1:3\n")); }),
               {"ranks:1:", "'c'", "ranks:2:", "no core 6", "ranks:3:", "no socket 2", "ranks:4:", "no core 3"});
  const Cluster unknown{{{.name = "a", .slots = 2}}};
  EXPECT_TRUE(place_ranks(unknown, parse("rank 0=a slot=9\n")).at(0).cpus.empty());
}

}  // namespace
}  // namespace ds
