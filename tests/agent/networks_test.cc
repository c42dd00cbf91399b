// Networks that all hosts share.
#include <gtest/gtest.h>

#include "agent/networks.h"
#include "topology/base/error.h"

namespace ds {

TEST(Networks, ContainAddressesOfTheirOwnFamilyOnly) {
  const Network small{"10.77.3.5", 20, "eth0"};
  EXPECT_TRUE(contains(small, "10.77.15.255"));
  EXPECT_FALSE(contains(small, "10.77.16.0"));
  EXPECT_FALSE(contains(small, "fd00::1"));
  EXPECT_FALSE(contains(small, "nonsense"));
  EXPECT_EQ(cidr(small), "10.77.0.0/20");
  const Network six{"fd00:1::5", 64, "eth0"};
  EXPECT_TRUE(contains(six, "fd00:1::ffff"));
  EXPECT_FALSE(contains(six, "fd00:2::1"));
  EXPECT_EQ(cidr(six), "fd00:1::/64");
}

using Hosts = std::vector<std::vector<std::string>>;

TEST(Networks, TheSharedOnesHoldAnAddressOfEveryOtherHost) {
  const std::vector<Network> own = {
      {"10.0.0.1", 24, "eth0"}, {"192.168.5.1", 24, "ib0"}, {"172.17.0.1", 16, "docker0"}};
  EXPECT_EQ(choose_networks(own, {}, {{"10.0.0.2", "192.168.5.2"}, {"192.168.5.3"}}, ""),
            (NetworkChoice{"192.168.5.0/24", "", "ib0"}));
  EXPECT_EQ(choose_networks(own, {}, {{"10.0.0.2", "192.168.5.2"}}, ""),
            (NetworkChoice{"10.0.0.0/24,192.168.5.0/24", "", "eth0,ib0"}));
}

TEST(Networks, WhatTheLauncherDidNotPublishIsNeverChosen) {
  const std::vector<Network> own = {{"172.17.0.1", 16, "br0"}, {"10.0.0.1", 24, "eth0"}};
  const Hosts others = {{"10.0.0.2", "172.17.0.2"}};
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, others, ""), (NetworkChoice{"10.0.0.0/24", "", "eth0"}));
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, {{"10.1.0.2"}}, ""), (NetworkChoice{"", "lo,br0", ""}))
      << "hosts behind a router: all but the bridge";
  EXPECT_EQ(choose_networks(own, {}, {{"10.1.0.2"}}, ""), (NetworkChoice{}));
}

TEST(Networks, TheWantedOneIsTakenByNameOrNumber) {
  const std::vector<Network> own = {{"10.0.0.1", 24, "eth0"}, {"172.17.0.1", 16, "br0"}, {"fd00::1", 64, "eth1"}};
  const Hosts others = {{"10.0.0.2"}};
  EXPECT_EQ(choose_networks(own, {"10.0.0.1"}, others, "br0"), (NetworkChoice{"172.17.0.0/16", "", "br0"}));
  EXPECT_EQ(choose_networks(own, {}, others, "172.16.0.0/12"), (NetworkChoice{"172.17.0.0/16", "", "br0"}));
  EXPECT_EQ(choose_networks(own, {}, others, "fd00::/8"), (NetworkChoice{"eth1", "", "eth1"}));
}

TEST(Networks, OfIpv6TheInterfaceIsNamed) {
  const std::vector<Network> own = {{"fd00::1", 64, "eth0"}, {"fd00:1::1", 64, "eth1"}};
  EXPECT_EQ(choose_networks(own, {}, {{"fd00::2"}}, ""), (NetworkChoice{"eth0", "", "eth0"}));
  const std::vector<Network> both = {{"fd00::1", 64, "eth1"}, {"10.0.0.1", 24, "eth0"}};
  EXPECT_EQ(choose_networks(both, {}, {{"fd00::2", "10.0.0.2"}}, ""), (NetworkChoice{"10.0.0.0/24", "", "eth0"}));
}

}  // namespace ds
