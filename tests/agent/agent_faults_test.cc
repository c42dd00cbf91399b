// Whatever dies, nothing of the job is left on the host: agent, rank server, both, launcher, network.
#include <gtest/gtest.h>

#include <csignal>

#include "agent/leftovers.h"
#include "tests/agent/fake_launcher.h"

namespace ds {

using std::chrono::seconds;

class AgentFaults : public testing::Test {
 protected:
  // Two ranks that ignore TERM; each has a child in another session that knows nothing of its parents.
  void start(FakeLauncher& launcher) {
    ASSERT_TRUE(launcher.wait_joined());
    const std::string script = "trap '' TERM HUP; setsid sleep 1000 & echo ready; while :; do sleep 60; done";
    launcher.start(launcher.plan(1, {{"/bin/sh", "-c", script}, {"/bin/sh", "-c", script}}, "pmix"));
    ASSERT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "ready\n" && launcher.out[1] == "ready\n"; }));
    ASSERT_NE(launcher.leftovers(), "");
  }

  static std::vector<pid_t> rank_servers(const FakeLauncher& launcher) {
    std::vector<pid_t> pids;
    for (const auto& process : all_processes())
      if (started_with(process.pid, std::string(kServerVariable) + "=" + launcher.job())) pids.push_back(process.pid);
    return pids;
  }

  // "" when nothing was told.
  static std::string reason_of_a_lost_host(FakeLauncher& launcher) {
    if (!launcher.wait_until([&] { return !launcher.failures.empty(); }, seconds(60))) return "";
    EXPECT_EQ(launcher.failures[0].exit_code(), 98);
    return launcher.failures[0].reason();
  }

  // Ranks and files stay behind: the rank servers are stopped first, so that they cannot clean up when the agent dies.
  static void kill_agent_and_servers(FakeLauncher& launcher) {
    for (const pid_t pid : rank_servers(launcher)) kill(pid, SIGSTOP);
    launcher.agent().process->signal(SIGKILL);
    ASSERT_TRUE(launcher.agent().process->wait(seconds(10)));
    for (const pid_t pid : rank_servers(launcher)) kill(pid, SIGKILL);
    EXPECT_NE(launcher.leftovers(), "");
  }
};

TEST_F(AgentFaults, NothingSurvivesTheAgent) {
  FakeLauncher launcher;
  start(launcher);
  launcher.agent().process->signal(SIGKILL);
  EXPECT_TRUE(launcher.wait_clean(seconds(5))) << launcher.leftovers();
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.agent().channel_end != ""; })) << "the launcher must notice";
}

TEST_F(AgentFaults, ADeadRankServerIsReportedWithHostAndCauseAndNothingSurvivesIt) {
  FakeLauncher launcher;
  start(launcher);
  for (const pid_t pid : rank_servers(launcher)) kill(pid, SIGKILL);
  const std::string reason = reason_of_a_lost_host(launcher);
  EXPECT_NE(reason.find(launcher.agent().hello.host_name()), std::string::npos) << reason;
  EXPECT_NE(reason.find("signal 9 (Killed)"), std::string::npos) << reason;
  EXPECT_EQ(launcher.end_all(1), "");
}

// It does not end, and nothing would be heard of its ranks any more.
TEST_F(AgentFaults, ARankServerThatStandsStillIsTakenForDead) {
  FakeLauncher launcher;
  start(launcher);
  for (const pid_t pid : rank_servers(launcher)) kill(pid, SIGSTOP);
  const std::string reason = reason_of_a_lost_host(launcher);
  EXPECT_NE(reason.find("has not answered for 15 s"), std::string::npos) << reason;
  EXPECT_EQ(launcher.end_all(1), "");
}

// As `scontrol suspend` stops a job: for longer than the lease, and the launcher is there when it goes on.
TEST_F(AgentFaults, AnAgentThatWasStoppedItselfListensOnceMoreBeforeItGivesTheLauncherUp) {
  FakeLauncher::Options options;
  options.lease_ms = 3000;
  FakeLauncher launcher(options);
  start(launcher);
  launcher.agent().process->signal(SIGSTOP);
  EXPECT_FALSE(launcher.wait_until([&] { return launcher.agent().channel_end != ""; }, seconds(6)));
  launcher.agent().process->signal(SIGCONT);
  const auto beats = launcher.beats;  // after so many, ten a second, it would have given up
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.beats > beats + 50; })) << launcher.troubles();
  EXPECT_EQ(launcher.end_all(1), "");
}

// The rank server is stopped until both events wait for it; in which order it takes them is chance.
TEST_F(AgentFaults, RanksThatEndAsTheirGenerationDoesAreTold) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  for (uint32_t generation = 1; generation <= 20; ++generation) {
    launcher.exits.clear();
    launcher.pids.clear();
    launcher.start(launcher.plan(generation, {{"sleep", "1000"}, {"sleep", "1000"}}));
    ASSERT_TRUE(launcher.wait_until([&] { return launcher.pids.size() == 2; }));
    const auto servers = rank_servers(launcher);
    for (const pid_t pid : servers) kill(pid, SIGSTOP);
    for (const auto& [rank, pid] : launcher.pids) kill(static_cast<pid_t>(pid), SIGKILL);
    launcher.end(generation);
    ASSERT_TRUE(launcher.wait_until([&, beats = launcher.beats] { return launcher.beats > beats + 1; }));
    for (const pid_t pid : servers) kill(pid, SIGCONT);
    ASSERT_TRUE(launcher.wait_ended(generation)) << launcher.troubles();
    ASSERT_EQ(launcher.exits.size(), 2u) << "generation " << generation << "; " << launcher.troubles();
  }
  EXPECT_TRUE(launcher.shut_down());
}

TEST_F(AgentFaults, ASweepRemovesWhatAgentAndRankServerLeft) {
  FakeLauncher launcher;
  start(launcher);
  ASSERT_NO_FATAL_FAILURE(kill_agent_and_servers(launcher));
  Command sweep;
  sweep.program = bin_folder() + "/dsagent";
  sweep.argv = {"dsagent", "--sweep", launcher.job()};
  auto process = Process::start(sweep);
  ASSERT_TRUE(process->wait(seconds(10)));
  EXPECT_EQ(process->status()->code, 0);
  EXPECT_EQ(launcher.leftovers(), "");
}

TEST_F(AgentFaults, TheNextAgentOnTheHostSweepsJobsThatNobodyCaresForAnyMore) {
  FakeLauncher dead;
  start(dead);
  ASSERT_NO_FATAL_FAILURE(kill_agent_and_servers(dead));
  FakeLauncher next, living;
  ASSERT_TRUE(next.wait_joined() && living.wait_joined());
  EXPECT_TRUE(next.wait_until([&] { return dead.leftovers().empty(); })) << dead.leftovers();
  EXPECT_NE(living.leftovers(), "") << "jobs with a living agent stay";
}

// A job after a host went down hard: its agent finds the old job's folder some seconds after its own ranks began.
TEST_F(AgentFaults, AnAgentThatSweepsAnotherJobKeepsItsOwnRanks) {
  FakeLauncher dead;
  start(dead);
  ASSERT_NO_FATAL_FAILURE(kill_agent_and_servers(dead));
  FakeLauncher next;
  start(next);
  EXPECT_TRUE(next.wait_until([&] { return dead.leftovers().empty(); })) << dead.leftovers();
  const auto beats = next.beats;  // after a few more of them a failure would have been told
  ASSERT_TRUE(next.wait_until([&] { return next.beats > beats + 5; })) << next.troubles();
  EXPECT_TRUE(next.failures.empty()) << next.troubles();
  EXPECT_TRUE(next.exits.empty());
  EXPECT_EQ(next.end_all(1), "");
}

TEST_F(AgentFaults, AClosedLifeLineEndsEverything) {
  FakeLauncher launcher;
  start(launcher);
  launcher.agent().life_line.reset();
  EXPECT_TRUE(launcher.wait_clean(seconds(5))) << launcher.leftovers();
  EXPECT_TRUE(launcher.agent().process->wait(seconds(5)));
}

TEST_F(AgentFaults, AnAgentThatIsPushedOutBeforeItsWelcomeDialsAgain) {
  FakeLauncher::Options options;
  options.hang_ups = 3;
  FakeLauncher launcher(options);
  start(launcher);
  EXPECT_TRUE(launcher.shut_down());
}

TEST_F(AgentFaults, AnAgentThatIsNeverLetInGivesUp) {
  FakeLauncher::Options options;
  options.hang_ups = 1000;
  FakeLauncher launcher(options);
  Process& agent = *launcher.agent().process;
  EXPECT_TRUE(launcher.wait_until([&] { return agent.wait(std::chrono::milliseconds(1)); }));
  EXPECT_TRUE(launcher.wait_clean(seconds(5))) << launcher.leftovers();
}

TEST_F(AgentFaults, AClosedChannelEndsEverythingOfAJobThatIsNotElastic) {
  FakeLauncher launcher;
  start(launcher);
  launcher.agent().channel->close();
  EXPECT_TRUE(launcher.wait_clean(seconds(5))) << launcher.leftovers();
}

TEST_F(AgentFaults, ASilentLauncherCostsTheLease) {
  FakeLauncher::Options options;
  options.answers_beats = false;
  options.lease_ms = 6000;
  FakeLauncher launcher(options);
  start(launcher);
  EXPECT_TRUE(launcher.wait_clean(seconds(15))) << launcher.leftovers();
  EXPECT_TRUE(launcher.agent().process->wait(seconds(5)));
}

TEST_F(AgentFaults, AnElasticJobOutlivesItsLauncherOnlyForTheLease) {
  FakeLauncher::Options options;
  options.elastic = true;
  options.lease_ms = 4000;
  FakeLauncher launcher(options);
  start(launcher);
  launcher.stop_listening();
  launcher.agent().channel->close();
  launcher.agent().life_line.reset();
  launcher.wait_until([&] { return !launcher.agent().process->running(); }, std::chrono::milliseconds(1500));
  EXPECT_NE(launcher.leftovers(), "") << "killed long before the lease ended";
  EXPECT_TRUE(launcher.wait_clean(seconds(15))) << launcher.leftovers();
}

}  // namespace ds
