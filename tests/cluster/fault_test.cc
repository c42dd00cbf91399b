// Whatever dies, the job ends with the documented code and a last line that names the cause, and nothing stays behind.
#include <signal.h>
#include <unistd.h>

#include <functional>
#include <tuple>

#include "agent/oom_kills.h"
#include "tests/cluster/job_fixture.h"
#include "tests/support/memory_shortage.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

constexpr int kRounds = 3;

class FaultTest : public JobTest {
 protected:
  // Starts an endless job, applies the fault once it trains, and checks how it ends. Returns its stderr.
  template <typename Fault>
  std::string job_hit_by(const std::string& name, Fault fault, int expected_code, seconds to_end, seconds to_clean) {
    const auto config = write_training_job(folder(name), {.steps = 1000000});
    HostCommand job = bed().start("node1", launch({config}));
    if (!wait_until([&] { return losses_of(folder(name)).size() >= 3 || !job.running(); }, seconds(90)) || !job.running()) {
      ADD_FAILURE() << name << ": does not train: " << job.err();
      return "";
    }
    fault(job);
    const auto code = job.wait(to_end);
    EXPECT_TRUE(code.has_value()) << name << ": still running " << to_end.count() << " s after the fault\n" << job.err();
    EXPECT_EQ(code.value_or(expected_code), expected_code) << name << "\n" << job.err();
    expect_nothing_left(to_clean);
    return job.err();
  }

  void expect_names_host(const std::string& text, const std::string& host) {
    const auto error = last_error(text);
    EXPECT_EQ(error.value("host", ""), host) << text;
    EXPECT_FALSE(error.value("error", "").empty()) << text;
  }

  template <typename Wanted>
  pid_t pid_of(const std::string& host, Wanted wanted) {
    for (const auto& seen : bed().processes(host)) {
      if (wanted(seen)) return seen.pid;
    }
    ADD_FAILURE() << "the process to kill is not on " << host;
    return -1;
  }

  pid_t agent_on(const std::string& host) {
    return pid_of(host, is_agent);
  }
  pid_t rank_server_on(const std::string& host) { return pid_of(host, is_rank_server); }

  static void kill_if_found(pid_t pid) {
    if (pid > 0) ::kill(pid, SIGKILL);
  }
};

// Limits: the interface promises 3 s for a failed rank, 10 s until nothing is left and 25 s on a host that is cut off;
// the rest is what a loaded machine of two cores may need.
TEST_F(FaultTest, AKilledRankEndsTheJobWith137) {
  for (int round = 0; round < kRounds; ++round) {
    const std::string host = round == 0 ? "node1" : "node2";
    const auto text = job_hit_by("rank" + std::to_string(round),
                                 [&](HostCommand&) { bed().kill_process(host, "dsengine"); }, 137, seconds(20), seconds(10));
    expect_names_host(text, host);
    EXPECT_EQ(last_error(text).value("signal", 0), SIGKILL) << text;
  }
}

TEST_F(FaultTest, AKilledAgentEndsTheJobWith98) {
  for (int round = 0; round < kRounds; ++round) {
    const auto text = job_hit_by("agent" + std::to_string(round), [&](HostCommand&) { kill_if_found(agent_on("node2")); },
                                 98, seconds(20), seconds(10));
    expect_names_host(text, "node2");
    const std::string error = last_error(text).value("error", "");
    EXPECT_NE(error.find("the connection to its agent was closed"), std::string::npos) << text;
  }
}

TEST_F(FaultTest, AKilledRankServerEndsTheJobWith98) {
  for (int round = 0; round < kRounds; ++round) {
    const auto text = job_hit_by("server" + std::to_string(round), [&](HostCommand&) { kill_if_found(rank_server_on("node3")); },
                                 98, seconds(20), seconds(10));
    expect_names_host(text, "node3");
  }
}

// A real out-of-memory killer, which the job's words must name: whoever reads them need not log in to look for dmesg.
TEST_F(FaultTest, WhatTheKernelKillsForMemoryIsNamedAsThat) {
  if (const auto reason = MemoryShortage::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  using Victim = std::function<pid_t()>;
  const std::vector<std::tuple<std::string, Victim, int>> victims = {
      {"agent", [this] { return agent_on("node2"); }, 98},
      {"server", [this] { return rank_server_on("node2"); }, 98},
      {"engine", [this] { return pid_of("node2", [](const ProcessSeen& seen) { return seen.name == "dsengine"; }); }, 137}};
  for (const auto& [name, victim, code] : victims) {
    MemoryShortage shortage;
    const auto text = job_hit_by(name, [&](HostCommand&) { shortage.hit(victim()); }, code, seconds(20), seconds(10));
    expect_names_host(text, "node2");
    EXPECT_NE(last_error(text).value("error", "").find(kMemoryRanOut), std::string::npos) << text;
    EXPECT_NE(text.find("use fewer ranks on that host"), std::string::npos) << text;
  }
}

TEST_F(FaultTest, WhenTheLauncherIsKilledTheHostsCleanUpByThemselves) {
  for (int round = 0; round < kRounds; ++round) {
    job_hit_by("launcher" + std::to_string(round), [](HostCommand& job) { job.signal(SIGKILL); }, 137, seconds(5), seconds(10));
  }
}

TEST_F(FaultTest, ACutLinkEndsTheJobWith98AndTheCutHostEndsItsRanks) {
  for (int round = 0; round < kRounds; ++round) {
    const auto text = job_hit_by("cut" + std::to_string(round), [&](HostCommand&) { bed().cut("node3"); }, 98, seconds(30), seconds(27));
    expect_names_host(text, "node3");
    bed().heal("node3");
  }
}

}  // namespace
}  // namespace ds::testing
