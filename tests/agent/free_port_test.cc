// Ports that nobody listens on.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <set>

#include "agent/free_port.h"
#include "agent/listener.h"

namespace ds {

TEST(FreePort, StaysInItsRangeAndLeavesTheLastOneForMeeting) {
  const int any = free_port();
  ASSERT_GT(any, 0);
  const PortRange range{any, any + 20 > 65535 ? 65535 : any + 20};
  const int meeting = free_port(range), server = free_port(range, PortUse::kServer);
  for (const int port : {meeting, server}) EXPECT_TRUE(port >= range.low && port <= range.high) << port;
  EXPECT_NE(server, range.high);
  const PortRange one{any, any};
  EXPECT_EQ(free_port(one, PortUse::kServer), any);
}

TEST(FreePort, IsNoneThatTheKernelGivesByChance) {
  EXPECT_EQ(ports_of_choice("32768\t60999\n"), (PortRange{10000, 32767}));
  EXPECT_EQ(ports_of_choice("12000 40000"), (PortRange{40001, 65535}));
  EXPECT_EQ(ports_of_choice("1024 65535"), PortRange{});
  EXPECT_EQ(ports_of_choice(""), PortRange{});
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int low = 0, high = 0;
  ASSERT_TRUE(file >> low >> high);
  if (!ports_of_choice(std::to_string(low) + " " + std::to_string(high)).bounded()) GTEST_SKIP() << "the kernel gives all ports";
  std::set<int> seen;
  for (int i = 0; i < 20; ++i) {
    const int port = free_port();
    EXPECT_TRUE(port < low || port > high) << port;
    seen.insert(port);
  }
  EXPECT_GT(seen.size(), 10u) << "two jobs that start at once must not look up the same";
}

TEST(FreePort, LooksBelowAPortThatIsBusy) {
  boost::asio::io_context io;
  const Listener busy(io, true, std::nullopt, [](int) {});
  const PortRange range{busy.port() - 20, busy.port()};
  const int meeting = free_port(range), server = free_port(range, PortUse::kServer);
  EXPECT_LT(meeting, busy.port());
  EXPECT_LT(server, meeting);
  EXPECT_GE(server, range.low);
  EXPECT_EQ(free_port({busy.port(), busy.port()}), 0);
}

}  // namespace ds
