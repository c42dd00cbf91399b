// What programs under a real dsagent write and read.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/agent/agent_programs.h"

namespace ds {

TEST_F(AgentRunsPrograms, OutputComesInWholeLinesAndTheLastUnfinishedOneAtTheEnd) {
  const std::string script = "i=0; while [ $i -lt 200 ]; do echo $RANK-$i; i=$((i+1)); done; printf tail-$RANK";
  ASSERT_TRUE(launcher.run(launcher.plan(1, {sh(script), sh("{ " + script + "; } >&2")})));
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += "0-" + std::to_string(i) + "\n";
  EXPECT_EQ(launcher.out[0], expected + "tail-0");
  EXPECT_NE(launcher.err[1].find("1-199\ntail-1"), std::string::npos);
  EXPECT_EQ(launcher.output_messages_not_whole_lines, 0u);
}

// As under mpirun: stdio keeps lines back for a pipe.
TEST_F(AgentRunsPrograms, LinesOfProgramsThatBufferComeAtOnceForStdoutIsATerminal) {
  launcher.start(
      launcher.plan(1, {sh("{ echo first; sleep 1000; } | cut -c1-"), sh("test -t 1 && ! test -t 2 && echo yes")}));
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "first\n"; })) << launcher.out[0];
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.out[1] == "yes\n"; })) << launcher.out[1];
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST_F(AgentRunsPrograms, ThatTerminalChangesNoByte) {
  const std::string every = "i=0; while [ $i -lt 256 ]; do printf \"\\\\$(printf %03o $i)\"; i=$((i+1)); done";
  ASSERT_TRUE(launcher.run(launcher.plan(1, {sh(every), sh("head -c 3000000 /dev/zero")})));
  std::string expected;
  for (int i = 0; i < 256; ++i) expected += static_cast<char>(i);
  EXPECT_EQ(launcher.out[0], expected);
  EXPECT_EQ(launcher.out[1], std::string(3000000, '\0'));
}

TEST_F(AgentRunsPrograms, APromptDoesNotWaitForTheEndOfItsLine) {
  auto plan = launcher.plan(1, {sh("printf 'Name? '; read name; printf 'Sure? ' >&2; read sure; echo $name $sure")});
  plan.set_stdin_rank(0);
  plan.set_unfinished_lines(true);
  launcher.start(plan);
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "Name? "; })) << launcher.out[0];
  give("bob\n", false);
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.err[0] == "Sure? "; })) << launcher.err[0];
  give("yes\n", true);
  EXPECT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.out[0], "Name? bob yes\n");
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST_F(AgentRunsPrograms, AllOutputOfARankComesBeforeItsExit) {
  launcher.start(launcher.plan(1, {sh("seq 1 100000; exit 4")}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }));
  EXPECT_EQ(launcher.out[0].size(), 588895u);
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST_F(AgentRunsPrograms, StderrCanBeMergedIntoStdout) {
  auto plan = launcher.plan(1, {sh("echo out; echo err >&2")});
  plan.set_merge_stderr(true);
  ASSERT_TRUE(launcher.run(plan));
  EXPECT_EQ(launcher.out[0], "out\nerr\n");
  EXPECT_EQ(launcher.err[0], "");
}

TEST_F(AgentRunsPrograms, InputGoesToTheChosenRankOnly) {
  auto plan = launcher.plan(1, {{"cat"}, {"cat"}});
  plan.set_stdin_rank(1);
  launcher.start(plan);
  give(std::string(300000, 'x') + "\n", false);
  give("last\n", true);
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.size() == 2; }));
  EXPECT_EQ(launcher.out[0], "");
  EXPECT_EQ(launcher.out[1], std::string(300000, 'x') + "\nlast\n");
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

TEST_F(AgentRunsPrograms, InputThatARankDoesNotReadIsNotReportedAsTaken) {
  auto plan = launcher.plan(1, {sh("trap 'cat >/dev/null; exit 0' USR1; echo ready; while :; do sleep 0.05; done")});
  plan.set_stdin_rank(0);
  launcher.start(plan);
  const std::string data(4 << 20, 'x');
  give(data, true);
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.out[0] == "ready\n"; }));
  EXPECT_EQ(launcher.input_taken[0], 0u);
  control::Envelope wake;
  wake.mutable_signal()->set_signal(SIGUSR1);
  launcher.send(wake);
  ASSERT_TRUE(
      launcher.wait_until([&] { return launcher.input_taken[0] == data.size() && launcher.exits.count(0) > 0; }));
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

// Bytes a process has written so far, from /proc.
static uint64_t bytes_written(uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/io");
  for (std::string key, value; file >> key >> value;)
    if (key == "wchar:") return std::stoull(value);
  return 0;
}

TEST_F(AgentRunsPrograms, ARankThatWritesFasterThanTheLauncherReadsHasToWait) {
  constexpr uint64_t kTotal = 256u << 20;
  launcher.start(launcher.plan(1, {{"head", "-c", std::to_string(kTotal), "/dev/zero"}}));
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.pids.count(0) > 0; }));
  // From here the launcher reads nothing, until the rank has stood still for half a second.
  uint64_t written = 0, before = 1;
  for (int round = 0; round < 120 && (written != before || written == 0); ++round) {
    before = written;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    written = bytes_written(launcher.pids[0]);
  }
  EXPECT_GT(written, 0u);
  EXPECT_LT(written, 64u << 20) << "pipes, two queues and a socket hold less than that";
  ASSERT_TRUE(launcher.wait_until([&] { return launcher.exits.count(0) > 0; }, std::chrono::seconds(100)))
      << "stood still at " << written << " bytes, received " << launcher.out[0].size() << "; " << launcher.troubles();
  EXPECT_EQ(launcher.out[0].size(), kTotal);
  launcher.end(1);
  ASSERT_TRUE(launcher.wait_ended(1));
}

}  // namespace ds
