// Which addresses of a host others may use, and whether a range of ports is large enough.
#include "launcher/control/shared_addresses.h"

#include <gtest/gtest.h>

#include "launcher/plan/launch_plan.h"
#include "launcher/options/options.h"
#include "launcher/plan/port_budget.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using Addresses = std::vector<std::string>;

std::vector<Host> hosts_with(const std::vector<Addresses>& all) {
  std::vector<Host> hosts(all.size());
  for (size_t i = 0; i < all.size(); ++i) hosts[i].addresses = all[i];
  return hosts;
}

TEST(SharedAddresses, WhatSeveralHostsHaveBelongsToNone) {
  auto hosts = hosts_with({{"172.17.0.1", "10.0.0.1"}, {"172.17.0.1", "10.0.0.2"}, {"10.0.0.3"}});
  keep_shared_addresses(hosts, {}, false);
  EXPECT_EQ(hosts[0].addresses, Addresses{"10.0.0.1"});
  EXPECT_EQ(hosts[1].addresses, Addresses{"10.0.0.2"});
  EXPECT_EQ(hosts[2].addresses, Addresses{"10.0.0.3"});
}

TEST(SharedAddresses, OneMachineUnderTwoNamesKeepsItsOwn) {
  auto hosts = hosts_with({{"10.0.0.1"}, {"10.0.0.1"}, {"10.0.0.2"}});
  keep_shared_addresses(hosts, {}, false);
  EXPECT_EQ(hosts[0].addresses, Addresses{"10.0.0.1"});
  EXPECT_EQ(hosts[1].addresses, Addresses{"10.0.0.1"});
}

TEST(SharedAddresses, TheOneThatIsKnownToWorkComesFirstUnlessTheUserChose) {
  const std::vector<Addresses> all = {{"192.168.5.1", "10.0.0.1"}, {"192.168.6.1", "10.0.0.2"}};
  auto hosts = hosts_with(all);
  keep_shared_addresses(hosts, {"10.0.0.1", "203.0.113.7"}, false);
  EXPECT_EQ(hosts[0].addresses, (Addresses{"10.0.0.1", "192.168.5.1"}));
  EXPECT_EQ(hosts[1].addresses, all[1]) << "a translated address is none of the host's";
  hosts = hosts_with(all);
  keep_shared_addresses(hosts, {"10.0.0.1", "10.0.0.2"}, true);
  EXPECT_EQ(hosts[0].addresses, all[0]);
}

TEST(PortBudget, CountsWhatListensOnAHost) {
  LaunchPlan plan;
  plan.hosts.resize(2);
  plan.hosts[0].name = "a";
  plan.hosts[1].name = "b";
  plan.slots_used = {2, 4};
  plan.ranks.resize(1);
  Options options;
  EXPECT_EQ(ports_needed(plan, {true, false}, options, 0), 1 + 1 + 2 + 1);
  EXPECT_EQ(ports_needed(plan, {true, false}, options, 1), 1 + 4);
  options.wireup = "mpirun";
  EXPECT_EQ(ports_needed(plan, {true, false}, options, 1), 1 + 4 + 3) << "its daemon, too";
  options.wireup = "none";
  EXPECT_EQ(ports_needed(plan, {true, false}, options, 1), 0);
  options.wireup = "pmix";
  check_port_budget(plan, {true, false}, options);
  options.ports = {5000, 5004};
  check_port_budget(plan, {true, false}, options);
  options.ports = {5000, 5003};
  EXPECT_THROW(check_port_budget(plan, {true, false}, options), Error);
}

}  // namespace
}  // namespace ds
