// Open MPI programs under the PMIx server of the rank server, on one host and on two agents of this machine.
#include <gtest/gtest.h>

#include <csignal>
#include <random>

#include "tests/agent/fake_launcher.h"

namespace ds {

using Argv = std::vector<std::string>;

static Argv mpi_program(const std::string& what) { return {bin_folder() + "/agent_mpi_program", what}; }
static std::vector<Argv> ranks(int count, const std::string& what) {
  return std::vector<Argv>(static_cast<size_t>(count), mpi_program(what));
}

TEST(AgentRunsMpi, RanksFormOneWorldOfTwoAndOfFour) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  uint32_t generation = 0;
  for (const int count : {1, 2, 4}) {
    launcher.exits.clear();
    launcher.out.clear();
    ASSERT_TRUE(launcher.run(launcher.plan(++generation, ranks(count, "sum"), "pmix")));
    for (uint32_t rank = 0; rank < static_cast<uint32_t>(count); ++rank) {
      const auto& exit = launcher.exits[rank];
      EXPECT_EQ(exit.exit_code(), 0) << launcher.err[rank];
      EXPECT_TRUE(exit.connected() && exit.finalized() && exit.links_mpi());
      const std::string n = std::to_string(count);
      EXPECT_EQ(launcher.out[rank], "rank " + std::to_string(rank) + " of " + n + " sum " + n + "\n");
      EXPECT_EQ(launcher.err[rank], "");
    }
  }
  EXPECT_TRUE(launcher.shut_down());
  EXPECT_EQ(launcher.leftovers(), "");
}

TEST(AgentRunsMpi, FencesCarryAWorldOverTwoHosts) {
  FakeLauncher::Options options;
  options.num_hosts = 2;
  FakeLauncher launcher(options);
  ASSERT_TRUE(launcher.wait_joined());
  auto plan = launcher.plan(1, ranks(4, "publish"), "pmix");
  plan.add_mca("btl_tcp_if_include=lo");
  ASSERT_TRUE(launcher.run(plan));
  for (uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(launcher.exits[rank].exit_code(), 0) << launcher.err[rank];
    EXPECT_EQ(launcher.out[rank], "rank " + std::to_string(rank) + " of 4 sum 4\n");
  }
  EXPECT_TRUE(launcher.shut_down());
  EXPECT_EQ(launcher.leftovers(), "");
}

TEST(AgentRunsMpi, RanksMayBeDealtRoundTheHosts) {
  FakeLauncher::Options options;
  options.num_hosts = 2;
  FakeLauncher launcher(options);
  ASSERT_TRUE(launcher.wait_joined());
  auto plan = launcher.plan(1, ranks(4, "sum"), "pmix");
  plan.add_mca("btl_tcp_if_include=lo");
  for (uint32_t host = 0; host < 2; ++host) {
    plan.mutable_hosts(static_cast<int>(host))->add_ranks(host);
    plan.mutable_hosts(static_cast<int>(host))->add_ranks(host + 2);
  }
  for (auto& rank : *plan.mutable_ranks()) {
    rank.set_host_index(rank.rank() % 2);
    rank.set_local_rank(rank.rank() / 2);
  }
  ASSERT_TRUE(launcher.run(plan));
  for (uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(launcher.exits[rank].exit_code(), 0) << launcher.err[rank];
  EXPECT_TRUE(launcher.shut_down());
}

TEST(AgentRunsMpi, AbortIsReportedWithItsCodeBeforeTheExit) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  launcher.start(launcher.plan(1, ranks(2, "abort"), "pmix"));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(1) > 0; }));
  ASSERT_EQ(launcher.aborts.size(), 1u);
  EXPECT_EQ(launcher.aborts[0].rank(), 1u);
  EXPECT_EQ(launcher.aborts[0].status(), 5);
  EXPECT_EQ(launcher.end_all(1), "");
}

TEST(AgentRunsMpi, RanksInheritNoDescriptorsButTheirStreams) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  auto plan = launcher.plan(1, {{"ls", "-1", "/proc/self/fd"}}, "pmix");
  plan.set_stdin_rank(0);
  launcher.start(plan);
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.out[0], "0\n1\n2\n3\n") << "3 is the folder that ls reads";
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST(AgentRunsMpi, AnExitWithoutFinalizeShows) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  launcher.start(launcher.plan(1, ranks(2, "no-finalize"), "pmix"));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(1) > 0; }));
  EXPECT_EQ(launcher.exits[1].exit_code(), 0);
  EXPECT_TRUE(launcher.exits[1].connected());
  EXPECT_FALSE(launcher.exits[1].finalized());
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

// The end of a rank races with that of its connection to the PMIx server.
TEST(AgentRunsMpi, TwoRanksThatExitAtOnceAlwaysGiveTheirCode) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  for (uint32_t generation = 1; generation <= 100; ++generation) {
    launcher.exits.clear();
    ASSERT_TRUE(launcher.run(launcher.plan(generation, ranks(2, "exit"), "pmix"))) << generation;
    for (const uint32_t rank : {0u, 1u}) {
      ASSERT_EQ(launcher.exits[rank].exit_code(), 3) << generation << ": " << launcher.err[rank];
      ASSERT_EQ(launcher.exits[rank].signal(), 0) << generation;
    }
    ASSERT_TRUE(launcher.aborts.empty()) << generation << ": " << launcher.aborts[0].message();
    ASSERT_TRUE(launcher.failures.empty()) << generation << ": " << launcher.failures[0].reason();
  }
  EXPECT_TRUE(launcher.shut_down());
}

TEST(AgentRunsMpi, AnMpiProgramThatNeverConnectedShows) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  ASSERT_TRUE(launcher.run(launcher.plan(1, ranks(2, "no-init"), "pmix")));
  EXPECT_FALSE(launcher.exits[0].connected());
  EXPECT_TRUE(launcher.exits[0].links_mpi());
}

TEST(AgentRunsMpi, ARankKilledAtAnyMomentOfItsStartNeverHangsTheGeneration) {
  FakeLauncher launcher;
  ASSERT_TRUE(launcher.wait_joined());
  std::mt19937 random(7);
  for (uint32_t generation = 1; generation <= 20; ++generation) {
    launcher.exits.clear();
    launcher.pids.clear();
    launcher.start(launcher.plan(generation, ranks(2, "wait"), "pmix"));
    ASSERT_TRUE(launcher.wait_until([&] { return launcher.pids.size() == 2; }));
    const auto moment = std::chrono::steady_clock::now() + std::chrono::milliseconds(random() % 300);
    launcher.wait_until([&] { return std::chrono::steady_clock::now() >= moment; });
    kill(static_cast<pid_t>(launcher.pids[1]), SIGKILL);
    ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(1) > 0; })) << "generation " << generation;
    EXPECT_EQ(launcher.exits[1].signal(), SIGKILL);
    launcher.end(generation);
    ASSERT_TRUE(launcher.wait_ended(generation)) << "generation " << generation;
    EXPECT_EQ(launcher.ended.back().problem(), "");
    ASSERT_TRUE(launcher.failures.empty()) << launcher.failures[0].reason();
  }
  EXPECT_TRUE(launcher.shut_down());
  EXPECT_EQ(launcher.leftovers(), "");
}

}  // namespace ds
