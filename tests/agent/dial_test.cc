// Of several addresses the first that answers is taken: dead, silent and foreign ones hold nobody up.
#include "agent/dial.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <optional>

#include "agent/peer_address.h"

namespace ds {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// A socket that listens on loopback, on a port of its own or the one given; none where that cannot be had.
FileDescriptor listen_on(bool ipv6, uint16_t& port, int backlog = 8) {
  FileDescriptor socket(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in four = loopback(port);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = in6addr_loopback;
  six.sin6_port = htons(port);
  auto* address = ipv6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = ipv6 ? sizeof six : sizeof four;
  const int only = 1;
  if (ipv6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  if (!socket || ::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), backlog) != 0) return {};
  ::getsockname(socket.get(), address, &size);
  port = ntohs(ipv6 ? six.sin6_port : four.sin_port);
  return socket;
}

class Dialing : public ::testing::Test {
 protected:
  void dial(const std::vector<std::string>& addresses, milliseconds each = seconds(30)) {
    Dialer dialer(io, addresses, port, each, [this](FileDescriptor socket, const std::string& why) {
      ++calls;
      connected = std::move(socket);
      reasons = why;
    });
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (calls == 0 && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(milliseconds(20));
    }
    EXPECT_EQ(calls, 1);
  }

  // Takes the place in the queue of a socket that nobody accepts from: whoever comes next waits in vain.
  FileDescriptor fill(uint16_t queue_port) {
    FileDescriptor first(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(queue_port);
    EXPECT_EQ(::connect(first.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return first;
  }

  boost::asio::io_context io;
  uint16_t port = 0;
  int calls = 0;
  FileDescriptor connected;
  std::string reasons;
};

TEST_F(Dialing, AnAddressThatRefusesIsFollowedByTheNext) {
  FileDescriptor listener = listen_on(true, port);
  if (!listener) GTEST_SKIP() << "no IPv6 on this machine";
  dial({"127.0.0.1", "::1"});
  ASSERT_TRUE(connected) << reasons;
  EXPECT_EQ(peer_address(connected.get()).text, "[::1]:" + std::to_string(port)) << "with brackets before the port";
}

TEST_F(Dialing, ASilentAddressDoesNotHoldTheOthersUp) {
  FileDescriptor silent = listen_on(false, port, 0);
  FileDescriptor answers = listen_on(true, port);
  if (!silent || !answers) GTEST_SKIP() << "no IPv6 on this machine, or the port is taken there";
  FileDescriptor first = fill(port);
  dial({"127.0.0.1", "::1"}, seconds(300));
  ASSERT_TRUE(connected) << reasons;
  EXPECT_EQ(peer_address(connected.get()).host, "::1");
}

TEST_F(Dialing, WithoutAnAnswerEveryAddressAndItsReasonIsTold) {
  FileDescriptor silent = listen_on(false, port, 0);
  ASSERT_TRUE(silent);
  FileDescriptor first = fill(port);
  dial({"127.0.0.1", "no-address", "127.0.0.2"}, milliseconds(100));
  EXPECT_FALSE(connected);
  for (const char* words : {"127.0.0.1: no answer within 100 ms", "no-address: ", "127.0.0.2: Connection refused"})
    EXPECT_NE(reasons.find(words), std::string::npos) << words << " in " << reasons;
}

TEST_F(Dialing, WithoutAddressesThereIsNobody) {
  dial({});
  EXPECT_FALSE(connected);
}

}  // namespace
}  // namespace ds
