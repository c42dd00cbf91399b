// Programs on this machine: exit codes, signals, stdin, environment, as mpirun's users expect; nothing left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/launcher/fake_login.h"
#include "tests/launcher/shell_job.h"

namespace ds::testing {
namespace {

TEST(Programs, AllZeroIsZeroAndSilent) {
  RunResult result = run_dslaunch({"-np", "2", "--oversubscribe", "true"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
}

TEST(Programs, ZeroRanksRunNothing) { EXPECT_EQ(run_dslaunch({"-np", "0", "false"}).code, 0); }

TEST(Programs, TheFirstFailingRankEndsTheJobAndGivesItsCode) {
  RunResult result = run_dslaunch(shell(3, "echo last words >&2; [ $RANK = 1 ] && exit 3; sleep 300"), marked());
  EXPECT_EQ(result.code, 3);
  nlohmann::json json = last_json(result);
  EXPECT_EQ(json["rank"], 1) << result.err;
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_TRUE(json.contains("pid") && json.contains("host"));
  EXPECT_NE(result.err.find("last output of rank 1"), std::string::npos);
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Programs, DeathBySignalIs128MoreThanTheSignal) {
  for (int signal : {SIGKILL, SIGSEGV, SIGTERM}) {
    RunResult result = run_dslaunch(shell(2, "[ $RANK = 1 ] && kill -" + std::to_string(signal) + " $$; sleep 300"));
    EXPECT_EQ(result.code, 128 + signal) << result.err;
    EXPECT_EQ(last_json(result)["signal"], signal);
  }
}

TEST(Programs, WhatCannotRunIs126And127) {
  RunResult missing = run_dslaunch({"-np", "2", "--oversubscribe", "./no-such-program"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_NE(missing.err.find("no-such-program"), std::string::npos);
  EXPECT_EQ(run_dslaunch({"-np", "1", "/etc/passwd"}).code, 126);
}

TEST(Programs, AMissingWorkingFolderIsAUsageError) {
  RunResult result = run_dslaunch({"-np", "1", "--wdir", "/no/such/folder", "true"});
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_NE(result.err.find("/no/such/folder"), std::string::npos);
}

TEST(Programs, TheTimeLimitIs110AndLeavesNothing) {
  RunResult result = run_dslaunch(shell(2, "sleep 300 & sleep 300", {"--timeout", "1"}), marked());
  EXPECT_EQ(result.code, 110) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Programs, FractionsOfASecondAreToldAsTheyWereGiven) {
  const RunResult result = run_dslaunch({"-np", "1", "--timeout", "0.5", "sleep", "300"});
  EXPECT_EQ(result.code, 110);
  EXPECT_NE(result.err.find("its time limit of 0.5 s"), std::string::npos) << result.err;
}

TEST(Programs, AWorkingDirectoryThatIsGoneIsTold) {
  RunOptions shell;
  shell.program = "sh";
  const std::string start = "d=$(mktemp -d) && cd $d && rmdir $d && exec " + test::bin_folder() + "/dslaunch -np 1 ";
  const RunResult runs = run_dslaunch({"-c", start + "true"}, shell);
  EXPECT_EQ(runs.code, 0);
  EXPECT_NE(runs.err.find("the working directory is gone"), std::string::npos) << runs.err;
  const RunResult refused = run_dslaunch({"-c", start + "--output x true"}, shell);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("output: where is x?"), std::string::npos) << refused.err;
}

// The kernel tells the policy of each mapping: "default", "prefer:0", "bind:0".
TEST(Programs, MemoryComesFromTheNodesOfTheCoresWhenThatIsAsked) {
  if (!std::filesystem::exists("/sys/devices/system/node/node0") || !std::filesystem::exists("/proc/self/numa_maps")) GTEST_SKIP() << "a kernel without NUMA";
  const auto policy = [](const std::vector<std::string>& options) {
    std::vector<std::string> words{"-np", "1"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"/bin/sh", "-c", "cut -d ' ' -f 2 /proc/self/numa_maps | cut -d : -f 1 | sort -u"});
    const RunResult result = run_dslaunch(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(policy({"--bind-to", "core", "--bind-memory", "near"}).substr(0, 6), "prefer");
  EXPECT_EQ(policy({"--bind-to", "core", "--bind-memory", "only"}).substr(0, 4), "bind");
  EXPECT_EQ(policy({"--bind-to", "none", "--bind-memory", "only"}), policy({"--bind-to", "core"})) << "no binding, no policy";
}

TEST(Programs, AMeshIsPlacedOnHostsThatAreNotHere) {
  const std::string file = (ds::test::source_folder() / "topology/samples/two_level.json").string();
  const RunResult result = run_dslaunch({"--dry-run", "--json", "-H", "n01:4,n02:4", "--topology", file, "--mesh", "dp=2,tp=4", "true"});
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json plan = nlohmann::json::parse(result.out);
  for (const auto& rank : plan["ranks"]) EXPECT_EQ(rank["host"], rank["rank"].get<int>() % 2 ? "n02" : "n01") << result.out;
  EXPECT_GT(plan["placement"]["by_slot"]["seconds"], plan["placement"]["score"]["seconds"]);
  EXPECT_EQ(run_dslaunch({"--dry-run", "-H", "n01:4", "--mesh", "tp=4,dp=2", "true"}).code, 2) << "eight ranks, four slots";
  const RunResult all = run_dslaunch({"--dry-run", "--json", "--topology", file, "true"});
  EXPECT_EQ(nlohmann::json::parse(all.out)["ranks"].back()["host"], "n08") << all.err;
}

TEST(Programs, RanksHaveTheEnvironmentOfBothWorlds) {
  RunResult result = run_dslaunch(shell(2, "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $NODE_RANK "
                                           "$OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_SIZE $MASTER_ADDR $A $B",
                                        {"-x", "A=one two", "-x", "B"}), {"", {{"B", "three"}}, "/tmp"});
  EXPECT_EQ(result.code, 0) << result.err;
  Words lines = sorted_lines(result.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "0 2 0 2 0 0 2 127.0.0.1 one two three");
  EXPECT_EQ(lines[1], "1 2 1 2 0 1 2 127.0.0.1 one two three");
}

TEST(Programs, SeveralProgramsAreNumberedThrough) {
  RunResult result = run_dslaunch({"--oversubscribe", "-np", "1", "sh", "-c", "echo a $RANK", ":", "-np", "2", "-x", "V=7",
                                   "sh", "-c", "echo b $RANK $V"});
  EXPECT_EQ(sorted_lines(result.out), (Words{"a 0", "b 1 7", "b 2 7"})) << result.err;
}

TEST(Programs, StandardInputGoesToRankZero) {
  RunResult result = run_dslaunch({"--oversubscribe", "-np", "2", "cat"}, marked("hello\nworld"));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(trim(result.out), "hello\nworld");
}

TEST(Programs, StandardInputCanGoToAnotherRankOrAllOrNone) {
  Words script = {"sh", "-c", "echo $RANK $(wc -c)"};
  auto counts = [&](const std::string& target) {
    Words words = {"--oversubscribe", "-np", "2", "--stdin", target};
    words.insert(words.end(), script.begin(), script.end());
    return sorted_lines(run_dslaunch(words, marked("12345")).out);
  };
  EXPECT_EQ(counts("1"), (Words{"0 0", "1 5"}));
  EXPECT_EQ(counts("all"), (Words{"0 5", "1 5"}));
  EXPECT_EQ(counts("none"), (Words{"0 0", "1 0"}));
}

TEST(Programs, MuchInputArrivesWhole) {
  std::string much(5 << 20, 'x');
  RunResult result = run_dslaunch({"-np", "1", "wc", "-c"}, marked(much));
  EXPECT_EQ(trim(result.out), std::to_string(much.size())) << result.err;
}

TEST(Programs, TermEndsRanksAndGives143) {
  RunningDslaunch job(shell(2, "echo ready; sleep 300"), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGTERM);
  RunResult result = job.wait();
  EXPECT_EQ(result.code, 143) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Programs, CtrlCGives130AndASecondOneKillsWhatIgnoresTerm) {
  RunningDslaunch job(shell(1, "trap '' TERM; echo ready; while :; do sleep 1; done", {"--grace", "200", "-v"}), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGINT);
  ASSERT_TRUE(job.wait_for("-> stopping"));
  job.signal(SIGINT);
  EXPECT_EQ(job.wait(std::chrono::seconds(60)).code, 130);
}

TEST(Programs, Usr1IsForwardedToPrograms) {
  RunningDslaunch job(shell(1, "trap 'echo got it; exit 7' USR1; echo ready; while :; do sleep 0.1; done"), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGUSR1);
  RunResult result = job.wait();
  EXPECT_EQ(result.code, 7) << result.err;
  EXPECT_NE(result.out.find("got it"), std::string::npos);
}

TEST(Programs, KillingTheLauncherLeavesNothing) {
  RunningDslaunch job(shell(2, "echo ready; setsid sleep 300 & sleep 300"), marked());
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGKILL);
  EXPECT_EQ(job.wait().code, 137);
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Programs, MoreRanksThanSlotsAreRefused) {
  RunResult result = run_dslaunch({"-H", "localhost", "-np", "2", "true"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("slots"), std::string::npos);
}

TEST(Programs, NoProgramIsAUsageError) {
  RunResult result = run_dslaunch({"-np", "2"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("no program"), std::string::npos) << result.err;
  EXPECT_EQ(last_json(result)["exit_code"], 2) << result.err;
}

TEST(Programs, AHostThatDoesNotExistIsNamedAndIs75) {
  RunResult result = run_dslaunch({"-H", "no-such-host.invalid", "--ssh", "false", "true"});
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_EQ(last_json(result)["host"], "no-such-host.invalid");
}

TEST(Programs, AnAgentIsReachedThroughLoginNoiseOnItsOwnStreams) {
  // A login that prints, and a network on which nobody can dial back: the frames run over the login's streams.
  TemporaryFolder folder;
  std::string script = folder.program("fake-ssh", "#!/bin/sh\necho 'Welcome to this host'\nwhile [ $# -gt 1 ]; do shift; done\n"
                                                  "exec unshare -n sh -c \"ip link set lo up; $1\"\n");
  if (::geteuid() != 0 || std::system("unshare -n true 2>/dev/null") != 0) GTEST_SKIP() << "no network namespaces here";
  RunResult result = run_dslaunch({"-H", kElsewhere, "-np", "1", "--ssh", script, "echo", "through"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "through\n");
}

TEST(Programs, MoreRanksThanDescriptorsAllowSayWhichLimitToRaise) {
  RunOptions options = marked();
  options.program = "sh";
  const std::string dslaunch = test::bin_folder() + "/dslaunch";
  RunResult result = run_dslaunch({"-c", "ulimit -n 64; exec " + dslaunch + " --oversubscribe -np 20 true"}, options);
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.err.find("Too many open files (at most 64)"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("ulimit -n"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ds::testing
