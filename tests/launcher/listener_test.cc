// The listening socket of a job: both families at once, a range of ports.
#include "agent/listener.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "agent/dial.h"
#include "agent/peer_address.h"
#include "tests/topology/expect_error.h"

namespace ds {
namespace {

class Listening : public ::testing::Test {
 protected:
  // Who connected, as the listener sees it; "" when nobody could.
  std::string caller(const Listener& listener, const std::string& address) {
    std::string reasons;
    bool done = false;
    Dialer dialer(io, {address}, static_cast<uint16_t>(listener.port()), std::chrono::seconds(30),
                  [&](const FileDescriptor&, const std::string& why) {
                    reasons = why;
                    done = true;
                  });
    callers.clear();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!(done && (!reasons.empty() || !callers.empty())) && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return callers.empty() ? "" : callers[0];
  }

  boost::asio::io_context io;
  std::vector<std::string> callers;
  std::function<void(int)> remember = [this](int fd) {
    FileDescriptor connection(fd);
    callers.push_back(peer_address(connection.get()).host);
  };
};

TEST_F(Listening, OnAllAddressesAnswersBothFamilies) {
  Listener listener(io, false, std::nullopt, remember);
  EXPECT_EQ(caller(listener, "127.0.0.1"), "127.0.0.1");
  const std::string six = caller(listener, "::1");
  if (six.empty()) GTEST_SKIP() << "no IPv6 on this machine";
  EXPECT_EQ(six, "::1");
}

TEST_F(Listening, OnLoopbackAnswersThisMachineOnly) {
  Listener listener(io, true, std::nullopt, remember);
  EXPECT_EQ(caller(listener, "127.0.0.1"), "127.0.0.1");
}

TEST_F(Listening, ARangeOfPortsIsKeptAndToldWhenItIsFull) {
  Listener first(io, true, std::nullopt, remember);
  const std::pair range(first.port(), first.port());
  try {
    Listener second(io, true, range, remember);
    ADD_FAILURE() << "two sockets listen on one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    expect_words(error.what(), {"--ports=" + std::to_string(first.port()), "all 1 are in use"});
  }
}

}  // namespace
}  // namespace ds
