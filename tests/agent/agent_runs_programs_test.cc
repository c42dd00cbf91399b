// A real dsagent runs programs that know nothing of MPI: exit codes, folders, signals, leftovers.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "tests/agent/agent_programs.h"

namespace ds {

TEST_F(AgentRunsPrograms, SuccessIsExitCodeZero) {
  ASSERT_TRUE(launcher.run(launcher.plan(1, {{"true"}, {"true"}})));
  EXPECT_EQ(launcher.exits[0].exit_code(), 0);
  EXPECT_EQ(launcher.exits[1].signal(), 0);
  EXPECT_FALSE(launcher.exits[0].links_mpi());
  EXPECT_GT(launcher.exits[0].pid(), 0u);
}

TEST_F(AgentRunsPrograms, ExitCodesAndSignalsAreExact) {
  ASSERT_TRUE(launcher.run(launcher.plan(1, {sh("exit 3"), sh("kill -SEGV $$"), sh("exit 255"), sh("kill -9 $$")})));
  EXPECT_EQ(launcher.exits[0].exit_code(), 3);
  EXPECT_EQ(launcher.exits[1].signal(), SIGSEGV);
  EXPECT_EQ(launcher.exits[2].exit_code(), 255);
  EXPECT_EQ(launcher.exits[3].signal(), SIGKILL);
}

TEST_F(AgentRunsPrograms, AMissingProgramIs127AndNothingElseIsStarted) {
  launcher.start(launcher.plan(1, {{"./no-such-program"}, sh("echo started")}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.exits[0].exit_code(), 127);
  EXPECT_EQ(launcher.exits[0].start_error(), "cannot execute ./no-such-program: No such file or directory");
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
  EXPECT_EQ(launcher.out[1], "");
}

TEST_F(AgentRunsPrograms, AFileThatIsNotExecutableIs126) {
  ASSERT_TRUE(launcher.run(launcher.plan(1, {{"/etc/passwd"}})));
  EXPECT_EQ(launcher.exits[0].exit_code(), 126);
  EXPECT_EQ(launcher.exits[0].start_error(), "cannot execute /etc/passwd: Permission denied");
}

// Both setsid fork and end: a look through the processes that meets that moment sees neither of them nor what they
// start.
TEST_F(AgentRunsPrograms, WhatForksWhileProcessesAreListedIsStillEnded) {
  for (uint32_t generation = 1; generation <= 50; ++generation) {
    ASSERT_TRUE(launcher.run(launcher.plan(generation, {sh("(setsid setsid sleep 1000 &)")})));
    launcher.exits.clear();
    ASSERT_EQ(launcher.leftovers().find("sleep"), std::string::npos) << launcher.leftovers();
  }
}

TEST_F(AgentRunsPrograms, AMissingWorkingDirectoryThatWasAskedForIs2) {
  auto plan = launcher.plan(1, {{"true"}});
  plan.mutable_ranks(0)->set_wdir("/no/such/folder");
  plan.mutable_ranks(0)->set_wdir_given(true);
  ASSERT_TRUE(launcher.run(plan));
  EXPECT_EQ(launcher.exits[0].exit_code(), 2);
  EXPECT_NE(launcher.exits[0].start_error().find("/no/such/folder: No such file"), std::string::npos);
}

TEST_F(AgentRunsPrograms, RanksFindTheirPlaceAndFilesInTheEnvironment) {
  auto plan =
      launcher.plan(1, {sh("echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $OMPI_COMM_WORLD_RANK; cat $1; "
                           "echo $1; test -n \"$MASTER_PORT\" && test -s \"$DSLAUNCH_BLOCK\""),
                        {"true"}});
  plan.mutable_ranks(0)->add_argv("sh");
  plan.mutable_ranks(0)->add_argv("{run}/a.cfg");
  plan.set_training(true);
  auto& file = *plan.add_files();
  file.set_name("a.cfg");
  file.set_content("content\n");
  ASSERT_TRUE(launcher.run(plan));
  EXPECT_EQ(launcher.exits[0].exit_code(), 0) << launcher.err[0];
  EXPECT_EQ(launcher.out[0].substr(0, 18), "0 2 0 2 0\ncontent\n");
  EXPECT_NE(launcher.out[0].find("/tmp/dsl-"), std::string::npos);
}

TEST_F(AgentRunsPrograms, RanksIgnoringTermAreKilledAfterTheGrace) {
  launcher.start(launcher.plan(1, {sh("trap '' TERM; echo ready; while :; do sleep 60; done"),
                                   sh("trap 'echo saved; exit 9' TERM; echo ready; while :; do sleep 0.05; done")}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "ready\n" && launcher.out[1] == "ready\n"; }));
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
  EXPECT_EQ(launcher.exits[0].signal(), SIGKILL);
  EXPECT_EQ(launcher.exits[1].exit_code(), 9);
  EXPECT_EQ(launcher.out[1], "ready\nsaved\n");
}

TEST_F(AgentRunsPrograms, ProcessesThatLeftTheirSessionDoNotSurviveTheGeneration) {
  launcher.start(launcher.plan(
      1, {sh("setsid sleep 1000 >/dev/null 2>&1 </dev/null & (setsid sh -c 'exec env -i sleep 1001' &) ; exit 0")}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.exits[0].exit_code(), 0);
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
  EXPECT_EQ(launcher.ended.back().problem(), "");
}

TEST_F(AgentRunsPrograms, SignalsAreForwarded) {
  launcher.start(launcher.plan(1, {sh("trap 'exit 7' USR1; echo ready; while :; do sleep 0.05; done")}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "ready\n"; }));
  control::Envelope message;
  message.mutable_signal()->set_generation(1);
  message.mutable_signal()->set_signal(SIGUSR1);
  launcher.send(message);
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.exits[0].exit_code(), 7);
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST_F(AgentRunsPrograms, OneAgentServesManyGenerations) {
  for (uint32_t generation = 1; generation <= 10; ++generation) {
    launcher.exits.clear();
    ASSERT_TRUE(launcher.run(launcher.plan(generation, {sh("exit " + std::to_string(generation))})));
    EXPECT_EQ(launcher.exits[0].exit_code(), static_cast<int>(generation));
  }
}

TEST_F(AgentRunsPrograms, TwoRanksThatFailAtOnceAlwaysGiveTheirCode) {
  for (uint32_t generation = 1; generation <= 100; ++generation) {
    launcher.exits.clear();
    ASSERT_TRUE(launcher.run(launcher.plan(generation, {sh("exit 3"), sh("exit 3")}))) << generation;
    for (const uint32_t rank : {0u, 1u}) {
      ASSERT_EQ(launcher.exits[rank].exit_code(), 3) << generation;
      ASSERT_EQ(launcher.exits[rank].signal(), 0) << generation;
    }
  }
}

TEST_F(AgentRunsPrograms, ABoundRankMayUseItsCpusOnly) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  uint32_t last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  const Argv tell = {"grep", "Cpus_allowed_list", "/proc/self/status"};
  auto plan = launcher.plan(1, {tell, tell});
  plan.mutable_ranks(0)->add_cpus(last);
  ASSERT_TRUE(launcher.run(plan));
  EXPECT_EQ(launcher.out[0], "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  std::ifstream own("/proc/self/status");
  std::string line;
  while (std::getline(own, line) && !line.starts_with("Cpus_allowed_list")) continue;
  EXPECT_EQ(launcher.out[1], line + "\n") << "without a binding as the agent may";
}

TEST_F(AgentRunsPrograms, TheHostDescribesItselfAndChecksPaths) {
  control::Envelope message;
  message.mutable_describe();
  launcher.send(message);
  message.mutable_check_paths()->add_readable("/etc/passwd");
  message.mutable_check_paths()->add_readable("/no/such/file");
  launcher.send(message);
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.path_reports.size() == 1 && launcher.reports.size() == 1; }));
  EXPECT_GT(launcher.reports[0].cores_size(), 0);
  EXPECT_GT(launcher.reports[0].memory_bytes(), 0u);
  ASSERT_EQ(launcher.path_reports[0].problems_size(), 1);
  EXPECT_NE(launcher.path_reports[0].problems(0).find("cannot read /no/such/file on "), std::string::npos);
}

TEST(AgentOverStandardStreams, RunsAGenerationWhenItCannotReachTheLauncher) {
  FakeLauncher::Options options;
  options.reachable = false;
  FakeLauncher launcher(options);
  ASSERT_TRUE(launcher.wait_joined());
  ASSERT_TRUE(launcher.run(launcher.plan(1, {{"echo", "hello"}})));
  EXPECT_EQ(launcher.out[0], "hello\n");
  EXPECT_TRUE(launcher.shut_down());
  EXPECT_EQ(launcher.leftovers(), "");
}

}  // namespace ds
