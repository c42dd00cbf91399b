// The door of a job in this process: who gets in, who is told of, and that neither many nor silent callers keep it shut.
#include "launcher/control/control_port.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <vector>

#include "agent/channel.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/proto/control.pb.h"
#include "agent/open_file_limit.h"
#include "tests/launcher/stranger.h"

namespace ds::testing {
namespace {

using control::Envelope;

class ControlPortTest : public ::testing::Test {
 protected:
  void open(size_t pending_limit) {
    ControlPortOptions options;
    options.key = key;
    options.loopback_only = true;
    options.pending_limit = pending_limit;
    ControlPortEvents events;
    events.on_hello = [this](const std::shared_ptr<Channel>& channel, const control::Hello& hello) {
      agents.push_back(channel);
      return std::optional<int>(static_cast<int>(hello.host_index()));
    };
    events.on_message = [this](int host, const Envelope&) { speakers.push_back(host); };
    events.on_closed = [this](int host, const std::string&) { lost.push_back(host); };
    events.on_request = [this](const std::shared_ptr<Channel>& channel, const control::Request& request) {
      requests.push_back(request.what());
      Envelope answer;
      answer.mutable_reply()->set_text("answer");
      channel->send(answer);
    };
    events.on_refused = [this](const std::string& line) { lines.push_back(line); };
    port.emplace(io, std::move(options), std::move(events));
  }

  // Somebody with the key: what it hears goes to `heard`.
  std::shared_ptr<Channel> caller(const std::string& its_key) {
    const int fd = connect_from("127.0.0.1", port->port()).release();
    auto channel = Channel::create(io, fd, fd, ChannelRole::kAgent, its_key);
    channel->start([this](const Envelope& message) { heard.push_back(message.reply().text()); },
                   [this](const std::string& reason) { ends.push_back(reason); });
    return channel;
  }

  static Envelope request(const std::string& what) {
    Envelope message;
    message.mutable_request()->set_what(what);
    return message;
  }

  static Envelope hello(uint32_t host) {
    Envelope message;
    message.mutable_hello()->set_host_index(host);
    return message;
  }

  bool wait(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return condition();
  }

  const std::string key = std::string(32, 'k');
  boost::asio::io_context io;
  std::vector<std::shared_ptr<Channel>> agents;
  std::vector<int> speakers, lost;
  std::vector<std::string> requests, lines, heard, ends;
  std::optional<ControlPort> port;
};

TEST_F(ControlPortTest, AgentsSpeakForTheirHostAndRequestsAreAnswered) {
  open(8);
  auto agent = caller(key), client = caller(key);
  agent->send(hello(3));
  agent->send(request("not taken for a request: it speaks for a host"));
  client->send(request("status"));
  ASSERT_TRUE(wait([&] { return heard.size() == 1 && speakers.size() == 1; }));
  EXPECT_EQ(requests, std::vector<std::string>{"status"});
  EXPECT_EQ(speakers[0], 3);
  agent->close();
  client->close();
  ASSERT_TRUE(wait([&] { return lost.size() == 1; }));
  EXPECT_TRUE(lines.empty()) << lines[0];
}

TEST_F(ControlPortTest, AWrongKeyIsClosedAndToldWithItsAddress) {
  open(8);
  auto stranger = caller(std::string(32, 'x'));
  stranger->send(request("stop"));
  ASSERT_TRUE(wait([&] { return ends.size() == 1 && lines.size() == 1; }));
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(lines[0].find("refused a connection from 127.0.0.1:"), 0u) << lines[0];
  EXPECT_NE(lines[0].find("does not know the key"), std::string::npos) << lines[0];
}

TEST_F(ControlPortTest, SilentCallersKeepNobodyOutAndAreBounded) {
  open(8);
  const FileDescriptor first = connect_from("127.0.0.2", port->port());
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_from("127.0.0.1", port->port()));
  ASSERT_TRUE(wait([&] { return number_closed(silent) >= 192; }));
  auto client = caller(key);
  client->send(request("status"));
  ASSERT_TRUE(wait([&] { return heard.size() == 1; }));
  EXPECT_FALSE(is_closed(first.get())) << "the flood pushes out its own";
  EXPECT_EQ(lines.size(), 1u) << "one host floods: one line";
}

TEST_F(ControlPortTest, WhoIsInIsNotPushedOut) {
  open(4);
  auto agent = caller(key);
  agent->send(hello(0));
  ASSERT_TRUE(wait([&] { return agents.size() == 1; }));
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect_from("127.0.0.1", port->port()));
  ASSERT_TRUE(wait([&] { return number_closed(silent) >= 96; }));
  agent->send(request("still here"));
  EXPECT_TRUE(wait([&] { return speakers.size() == 1; }));
  EXPECT_TRUE(lost.empty());
}

TEST_F(ControlPortTest, WithoutDescriptorsItWaitsUntilThereAreSome) {
  open(8);
  auto client = caller(key);  // connected by the kernel, not yet accepted
  client->send(request("status"));
  const OpenFileLimit kept;  // gives the limit back
  const FileDescriptor next(::dup(0));
  set_open_file_limit(static_cast<uint64_t>(next.get()));
  bool waited = false;
  Timer timer(io);
  timer.after(std::chrono::milliseconds(300), [&] { waited = true; });
  ASSERT_TRUE(wait([&] { return waited; }));
  EXPECT_TRUE(requests.empty());
  set_open_file_limit(kept.now());
  EXPECT_TRUE(wait([&] { return heard.size() == 1; }));
}

}  // namespace
}  // namespace ds::testing
