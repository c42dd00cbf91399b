// Programs that start again after a failure: --max-restarts, --elastic.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/launcher/shell_job.h"
#include "tests/launcher/temporary_folder.h"

namespace ds::testing {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Rank 1 of each generation before LAST fails when rank 0 has written its line, which then waits.
std::string fails_before(const TemporaryFolder& folder, const std::string& last, const std::string& failure) {
  const std::string written = folder.path + "/written.$DSLAUNCH_GENERATION";
  return "echo rank $RANK of generation $DSLAUNCH_GENERATION; [ $DSLAUNCH_GENERATION -ge " + last + " ] && exit 0; " +
         "if [ $RANK = 1 ]; then until [ -e " + written + " ]; do sleep 0.01; done; " + failure + "; fi; : >" + written +
         "; exec sleep 300";
}

TEST(Restart, RanksStartAgainUntilTheyEndWell) {
  for (const char* failure : {"exit 7", "kill -9 $$"}) {
    TemporaryFolder folder;
    RunResult result = run_dslaunch(shell(2, fails_before(folder, "3", failure), {"--max-restarts", "5"}), marked());
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* line : {"rank 0 of generation 1\n", "rank 1 of generation 2\n", "rank 0 of generation 3\n"})
      EXPECT_TRUE(contains(result.out, line)) << result.out;
    EXPECT_TRUE(contains(result.err, "starting again: 2 ranks on ")) << result.err;
    EXPECT_EQ(processes_left(mark()), "");
  }
}

TEST(Restart, TheBudgetIsKeptAndTheLastFailureTold) {
  TemporaryFolder folder;
  RunResult result = run_dslaunch(shell(2, fails_before(folder, "9", "exit 7"), {"--max-restarts", "2"}), marked());
  EXPECT_EQ(result.code, 98) << result.err;
  EXPECT_TRUE(contains(result.out, "of generation 3\n")) << result.out;
  EXPECT_FALSE(contains(result.out, "of generation 4\n")) << result.out;
  EXPECT_TRUE(contains(result.err, "2 restarts that it may have within 60 minutes are used up")) << result.err;
  EXPECT_TRUE(contains(result.last_line(), "exited with code 7")) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Restart, WithoutTheOptionNothingStartsAgain) {
  TemporaryFolder folder;
  RunResult result = run_dslaunch(shell(2, fails_before(folder, "2", "exit 7"), {}), marked());
  EXPECT_EQ(result.code, 7) << result.err;
  EXPECT_FALSE(contains(result.out, "generation 2")) << result.out;
}

TEST(Restart, WhatWouldFailInTheSameWayIsNotStartedAgain) {
  RunResult missing = run_dslaunch({"-np", "2", "--elastic", "no-such-program"}, marked());
  EXPECT_EQ(missing.code, 127) << missing.err;
  EXPECT_FALSE(contains(missing.err, "starting again")) << missing.err;
  RunResult limit = run_dslaunch(shell(2, "exec sleep 300", {"--elastic", "--timeout", "1"}), marked());
  EXPECT_EQ(limit.code, 110) << limit.err;
  EXPECT_FALSE(contains(limit.err, "starting again")) << limit.err;
}

TEST(Restart, AnAgentThatDiesIsStartedAgain) {
  RunningDslaunch job(shell(2, "echo up $DSLAUNCH_GENERATION; [ $DSLAUNCH_GENERATION = 2 ] && exit 0; exec sleep 300", {"--max-restarts", "2"}), marked());
  ASSERT_TRUE(job.wait_for("up 1"));
  RunOptions pkill;
  pkill.program = "pkill";
  const RunResult killed = run_dslaunch({"-9", "-P", std::to_string(job.pid()), "-x", "dsagent"}, pkill);
  ASSERT_EQ(killed.code, 0) << killed.err;
  const RunResult result = job.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "up 2")) << result.out;
  EXPECT_TRUE(contains(result.err, " is back\n")) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Restart, TheLauncherStaysAtOneAddress) {
  TemporaryFolder folder;
  RunOptions options = marked();
  options.env["XDG_STATE_HOME"] = folder.path + "/state";
  const std::string script = "echo up $DSLAUNCH_GENERATION; [ $DSLAUNCH_GENERATION = 2 ] && exec sleep 300; "
                             "until [ -e " + folder.path + "/go ]; do sleep 0.05; done; exit 7";
  RunningDslaunch job(shell(1, script, {"--max-restarts", "2"}), options);
  const auto status = [&] {
    return nlohmann::json::parse(run_dslaunch({"status", "--json"}, options).out, nullptr, false);
  };
  ASSERT_TRUE(job.wait_for("up 1"));
  const nlohmann::json first = status();
  folder.write("go", "");
  ASSERT_TRUE(job.wait_for("up 2")) << job.err();
  const nlohmann::json second = status();
  EXPECT_EQ(first["generation"], 1) << first;
  EXPECT_EQ(second["generation"], 2) << second;
  EXPECT_TRUE(first["control"].is_string()) << first;
  EXPECT_EQ(first["control"], second["control"]);
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait().code, 143) << job.err();
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Restart, AStopIsNoFailure) {
  RunningDslaunch job(shell(2, "echo up; exec sleep 300", {"--elastic"}), marked());
  ASSERT_TRUE(job.wait_for("up"));
  job.signal(SIGINT);
  EXPECT_EQ(job.wait().code, 130) << job.err();
  EXPECT_FALSE(contains(job.err(), "starting again")) << job.err();
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Restart, OptionsThatDoNotGoTogetherAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--min-ranks", "2", "-np", "2", "true"}, "together with --elastic only"},
      {{"--elastic", "--min-ranks", "3", "-np", "2", "true"}, "at least 3 ranks, but -np=2"},
      {{"--elastic", "--min_elastic_nodes", "3", "--max_elastic_nodes", "2", "-np", "2", "true"}, "at least 3 hosts, but at most 2"},
      {{"--elastic", "-np", "1", "true", ":", "-np", "1", "true"}, "use --max-restarts alone"},
      {{"--max-restarts", "many", "-np", "2", "true"}, "--max-restarts=many: must be a whole number"},
  };
  for (const auto& [words, text] : wrong) {
    RunResult result = run_dslaunch(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, text)) << result.err;
  }
}

}  // namespace
}  // namespace ds::testing
