#include "agent/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "agent/file_descriptor.h"
#include "agent/proto/control.pb.h"

namespace ds {

using control::Envelope;

class Channels : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0); }

  void open(const std::string& launcher_key, const std::string& agent_key) {
    launcher = Channel::create(io, ends[0], ends[0], ChannelRole::kLauncher, launcher_key);
    agent = Channel::create(io, ends[1], ends[1], ChannelRole::kAgent, agent_key);
    launcher->start([this](const Envelope& m) { at_launcher.push_back(m); },
                    [this](const std::string& reason) { launcher_closed.push_back(reason); });
    agent->start([this](const Envelope& m) { at_agent.push_back(m); },
                 [this](const std::string& reason) { agent_closed.push_back(reason); });
  }

  bool wait(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return condition();
  }

  static Envelope output(const std::string& data) {
    Envelope message;
    message.mutable_output()->set_data(data);
    return message;
  }

  boost::asio::io_context io;
  int ends[2];
  std::shared_ptr<Channel> launcher, agent;
  std::vector<Envelope> at_launcher, at_agent;
  std::vector<std::string> launcher_closed, agent_closed;
  const std::string key = std::string(32, 'k');
};

TEST_F(Channels, MessagesSentBeforeAuthenticationArriveInOrderAfterIt) {
  open(key, key);
  for (int i = 0; i < 100; ++i) {
    agent->send(output(std::to_string(i)));
    launcher->send(output("L" + std::to_string(i)));
  }
  EXPECT_FALSE(agent->authenticated());
  ASSERT_TRUE(wait([&] { return at_launcher.size() == 100 && at_agent.size() == 100; }));
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(at_launcher[i].output().data(), std::to_string(i));
    EXPECT_EQ(at_agent[i].output().data(), "L" + std::to_string(i));
  }
  EXPECT_TRUE(agent->authenticated() && launcher->authenticated());
}

TEST_F(Channels, BothSidesCloseWithAReasonWhenTheKeysDiffer) {
  open(key, std::string(32, 'x'));
  agent->send(output("secret"));
  ASSERT_TRUE(wait([&] { return launcher_closed.size() == 1 && agent_closed.size() == 1; }));
  EXPECT_TRUE(at_launcher.empty());
  EXPECT_NE(launcher_closed[0].find("does not know the key"), std::string::npos);
  EXPECT_TRUE(launcher->broke_protocol());
}

TEST_F(Channels, AnEmptyKeyNeedsNoHandshake) {
  open("", "");
  EXPECT_TRUE(agent->authenticated());
  agent->send(output("x"));
  ASSERT_TRUE(wait([&] { return at_launcher.size() == 1; }));
}

TEST_F(Channels, TheEndOfTheOtherSideIsToldOnceAfterAllThatItSent) {
  open(key, key);
  agent->send(output(std::string(1 << 20, 'x')));
  agent->flush([&] { agent->close(); });
  ASSERT_TRUE(wait([&] { return launcher_closed.size() == 1; }));
  EXPECT_EQ(at_launcher.size(), 1u);
  EXPECT_TRUE(agent_closed.empty()) << "the own close is no news";
  launcher->send(output("into the void"));
  EXPECT_EQ(launcher->queued_bytes(), 0u);
}

TEST_F(Channels, FlushCallsBackWhenEverythingIsInTheKernel) {
  open(key, key);
  bool flushed = false;
  agent->send(output(std::string(8 << 20, 'x')));
  agent->flush([&] { flushed = true; });
  EXPECT_FALSE(flushed);
  ASSERT_TRUE(wait([&] { return flushed; }));
  EXPECT_EQ(agent->queued_bytes(), 0u);
  ASSERT_TRUE(wait([&] { return at_launcher.size() == 1; }));
  bool again = false;
  agent->flush([&] { again = true; });
  EXPECT_TRUE(again) << "nothing queued: at once";
}

TEST_F(Channels, FlushBeforeAuthenticationWaitsForWhatWasSentBefore) {
  open(key, key);
  size_t arrived = 0;
  agent->send(output(std::string(4 << 20, 'x')));
  agent->flush([&] {
    arrived = agent->queued_bytes();
    agent->close();
  });
  ASSERT_TRUE(wait([&] { return launcher_closed.size() == 1; }));
  EXPECT_EQ(arrived, 0u);
  EXPECT_EQ(at_launcher.size(), 1u);
  EXPECT_FALSE(launcher->broke_protocol());
}

TEST_F(Channels, APausedReaderMakesTheSenderQueue) {
  open("", "");
  launcher->pause_reading(true);
  for (int i = 0; i < 64; ++i) agent->send(output(std::string(1 << 20, 'x')));
  EXPECT_GT(agent->queued_bytes(), 32u << 20);
  EXPECT_TRUE(at_launcher.empty());
  launcher->pause_reading(false);
  ASSERT_TRUE(wait([&] { return at_launcher.size() == 64; }));
}

TEST_F(Channels, NoiseInsteadOfAHandshakeClosesTheChannel) {
  const FileDescriptor other(ends[1]);
  launcher = Channel::create(io, ends[0], ends[0], ChannelRole::kLauncher, key);
  launcher->start([&](const Envelope& m) { at_launcher.push_back(m); },
                  [&](const std::string& reason) { launcher_closed.push_back(reason); });
  const std::string noise(500, 'n');
  ASSERT_EQ(write(other.get(), noise.data(), noise.size()), 500);
  ASSERT_TRUE(wait([&] { return launcher_closed.size() == 1; }));
  EXPECT_TRUE(at_launcher.empty());
}

TEST_F(Channels, WorkOverTwoPipesToo) {
  close(ends[0]);
  close(ends[1]);
  int up[2], down[2];
  ASSERT_EQ(pipe2(up, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(down, O_CLOEXEC), 0);
  launcher = Channel::create(io, up[0], down[1], ChannelRole::kLauncher, key);
  agent = Channel::create(io, down[0], up[1], ChannelRole::kAgent, key);
  launcher->start([&](const Envelope& m) { at_launcher.push_back(m); }, [](const std::string&) {});
  agent->start([&](const Envelope& m) { at_agent.push_back(m); }, [](const std::string&) {});
  agent->send(output(std::string(1 << 20, 'u')));
  launcher->send(output(std::string(1 << 20, 'd')));
  ASSERT_TRUE(wait([&] { return at_launcher.size() == 1 && at_agent.size() == 1; }));
}

}  // namespace ds
