// The fleet in this process with simulated agents behind real sockets: what a slow agent may do, and to whom.
#include "launcher/control/agent_fleet.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "agent/channel.h"
#include "agent/proto/control.pb.h"
#include "tests/launcher/simulated_cluster.h"

namespace ds::testing {
namespace {

using control::Envelope;
using namespace std::chrono_literals;

constexpr int kHosts = 20, kDeaf = 3;
constexpr size_t kMiB = 1u << 20;

class SlowAgent : public ::testing::Test {
 protected:
  SlowAgent() : cluster(SimulatedClusterOptions{.num_hosts = kHosts, .deaf_host = kDeaf}) {
    for (const auto& [name, value] : cluster.environment()) {
      const char* old = std::getenv(name.c_str());
      before[name] = old ? std::optional<std::string>(old) : std::nullopt;
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    options.job = "fleet-test";
    options.key = std::string(32, 'k');
    options.slurm = true;
    options.agent_there = "dsagent";
    options.local.assign(kHosts, false);
    for (int host = 0; host < kHosts; ++host) options.hosts.push_back({.name = SimulatedCluster::host_name(host)});
    options.start.each = options.silence_limit = options.agent_lease = 60s;
  }

  ~SlowAgent() override {
    for (const auto& [name, value] : before) value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }

  void start() {
    FleetEvents events;
    events.on_message = [this](int, const Envelope& message) {
      num_started += message.has_started();
      num_ended += message.has_ended();
    };
    events.on_lost = [this](int host, const std::string& cause) { lost.emplace_back(host, cause); };
    events.on_oom_kills = [](int, uint64_t) {};
    events.on_unreachable = [](const std::vector<ReachFailure>& failures, bool) {
      FAIL() << describe_reach_failures(failures);
    };
    events.on_late = [](const std::vector<std::string>& hosts, bool) { FAIL() << hosts.size(); };
    events.on_refused = [](const std::string& line) { FAIL() << line; };
    events.on_change = [] {};
    fleet.emplace(io, options, std::move(events));
    fleet->start();
    Envelope message;
    message.mutable_start()->set_generation(1);
    ASSERT_TRUE(wait([&] { return fleet->all_joined(); }));
    fleet->send_all(message);
    ASSERT_TRUE(wait([&] { return num_started == kHosts; })) << "now one of them reads no more";
  }

  void end_generation() {
    Envelope message;
    message.mutable_end()->set_generation(1);
    fleet->send_all(message);
  }

  void send_much_to_the_deaf(size_t bytes) {
    Envelope message;
    message.mutable_input()->set_data(std::string(kMiB, 'x'));
    for (size_t sent = 0; sent < bytes; sent += kMiB) fleet->send(kDeaf, message);
  }

  bool wait(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 100s;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(20ms);
    }
    return condition();
  }

  void expect_that_only_the_deaf_is_lost() {
    ASSERT_TRUE(wait([&] { return !lost.empty(); }));
    EXPECT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].first, kDeaf);
    EXPECT_NE(lost[0].second.find("takes nothing in"), std::string::npos) << lost[0].second;
    for (int host = 0; host < kHosts; ++host) EXPECT_EQ(fleet->is_alive(host), host != kDeaf) << host;
    end_generation();
    EXPECT_TRUE(wait([&] { return num_ended >= kHosts - 1; }));
    fleet->shutdown();
    EXPECT_TRUE(wait([&] { return fleet->all_gone(); })) << fleet->who_is_left();
  }

  SimulatedCluster cluster;
  std::map<std::string, std::optional<std::string>> before;  // of the environment
  FleetOptions options;
  boost::asio::io_context io;
  std::optional<AgentFleet> fleet;
  int num_started = 0, num_ended = 0;
  std::vector<std::pair<int, std::string>> lost;
};

TEST_F(SlowAgent, ThatTakesNothingInIsLostWithItsLeaseThoughItSendsAndNobodyElseIs) {
  options.agent_lease = 3s;
  start();
  expect_that_only_the_deaf_is_lost();
}

TEST_F(SlowAgent, HoldsUpNoFrameOfTheOthersAndIsLostWhenTooMuchWaitsForIt) {
  options.queue_limit = 64 * kMiB;
  start();
  send_much_to_the_deaf(options.queue_limit / 2);  // far more than the kernel takes
  end_generation();
  EXPECT_TRUE(wait([&] { return num_ended == kHosts - 1; }));
  EXPECT_TRUE(lost.empty()) << lost[0].second;
  send_much_to_the_deaf(options.queue_limit);
  num_ended = 0;
  expect_that_only_the_deaf_is_lost();
}

}  // namespace
}  // namespace ds::testing
