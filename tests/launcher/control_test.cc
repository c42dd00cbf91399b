// status, stop and logs talk to a running job.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/launcher/dslaunch_run.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;

class ControlTest : public ::testing::Test {
 protected:
  ControlTest() {
    char pattern[] = "/tmp/dslaunch-control-XXXXXX";
    folder = ::mkdtemp(pattern);
    options.env["XDG_STATE_HOME"] = folder + "/state";
  }
  ~ControlTest() override { fs::remove_all(folder); }
  std::string folder;
  RunOptions options;
};

TEST_F(ControlTest, StatusOfARunningJobByIdFolderOrAlone) {
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunResult alone = run_dslaunch({"status", "--json"}, options);
  ASSERT_EQ(alone.code, 0) << alone.err;
  nlohmann::json json = nlohmann::json::parse(alone.out);
  EXPECT_EQ(json["ranks"], 1);
  ASSERT_EQ(json["processes"].size(), 1u) << json;
  EXPECT_EQ(json["processes"][0]["rank"], 0);
  EXPECT_EQ(json["processes"][0]["host"], json["hosts"][0]);
  EXPECT_EQ(json["processes"][0]["running"], true);
  EXPECT_EQ(read_file("/proc/" + json["processes"][0]["pid"].dump() + "/comm"), "sh\n");
  EXPECT_EQ(run_dslaunch({"status", folder + "/out"}, options).code, 0);
  EXPECT_EQ(run_dslaunch({"status", json["id"].get<std::string>()}, options).code, 0);
  RunResult logs = run_dslaunch({"logs", folder + "/out", "--rank", "0"}, options);
  EXPECT_EQ(logs.out, "ready\n");
}

TEST_F(ControlTest, FollowingLogsGoesOnInTheNextGenerationUntilTheJobEnds) {
  const std::string go = folder + "/go";
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c",
                       "echo ready; while [ ! -e " + go + " ]; do sleep 0.1; done; printf last"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunningDslaunch logs({"logs", "-f", folder + "/out"}, options);
  ASSERT_TRUE(logs.wait_for("rank 0: ready")) << logs.err();
  fs::create_directories(folder + "/out/logs/2");  // as a job does that goes on with other hosts
  std::ofstream(folder + "/out/logs/2/rank5.log") << "second" << std::endl;
  EXPECT_TRUE(logs.wait_for("rank 5: second")) << logs.err();
  EXPECT_TRUE(logs.wait_for("generation 2")) << logs.err();
  std::ofstream(folder + "/out/logs/2/rank5.log", std::ios::app) << "unfinished" << std::flush;
  std::ofstream{go};
  EXPECT_EQ(job.wait().code, 0);
  const RunResult result = logs.wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "rank 0: ready\nrank 5: second\nrank 5: unfinished\n");
}

TEST_F(ControlTest, FollowingLogsEndsWithItsReader) {
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunOptions shell = options;
  shell.program = "bash";
  const std::string logs = test::bin_folder() + "/dslaunch logs -f " + folder + "/out";
  const RunResult result = run_dslaunch({"-c", logs + " | head -n 1; exit ${PIPESTATUS[0]}"}, shell);
  EXPECT_EQ(result.out, "rank 0: ready\n") << result.err;
  EXPECT_EQ(result.code, 128 + SIGPIPE) << result.err;
  EXPECT_EQ(run_dslaunch({"status"}, options).code, 0) << "the job goes on";
}

TEST_F(ControlTest, OfALauncherThatIsNotKnownHereOnlyItsFolderIsBelieved) {
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunOptions elsewhere = options;
  elsewhere.env["XDG_STATE_HOME"] = folder + "/other";
  const RunResult status = run_dslaunch({"status", folder + "/out"}, elsewhere);
  EXPECT_NE(status.out.find("is gone or not known here"), std::string::npos) << status.out << status.err;
}

TEST_F(ControlTest, StopEndsTheJobWith143AndReturnsWhenItIsGone) {
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunResult stop = run_dslaunch({"stop"}, options);
  EXPECT_EQ(stop.code, 0) << stop.err;
  EXPECT_EQ(job.wait().code, 143);
  RunResult after = run_dslaunch({"status", folder + "/out"}, options);
  EXPECT_EQ(after.code, 0);
  EXPECT_NE(after.out.find("exit code 143"), std::string::npos) << after.out;
}

TEST_F(ControlTest, StopWithCheckpointIsForTrainingJobs) {
  RunningDslaunch job({"-np", "1", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  EXPECT_EQ(run_dslaunch({"stop", "--checkpoint"}, options).code, 2);
}

TEST_F(ControlTest, ASecondJobInTheSameFolderIsRefused) {
  RunningDslaunch job({"-np", "1", "--output", folder + "/out", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  RunResult second = run_dslaunch({"-np", "1", "--output", folder + "/out", "true"}, options);
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("used by a running job"), std::string::npos) << second.err;
}

TEST_F(ControlTest, CtrlZDoesNotStopTheLauncherAndSaysWhatToDo) {
  RunningDslaunch job({"-np", "1", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGTSTP);
  EXPECT_TRUE(job.wait_for("nohup dslaunch")) << job.err();
  job.signal(SIGTERM);
  EXPECT_EQ(job.wait().code, 143) << job.err();
}

// Its agents end with their lease; when it goes on, it must not send anybody to look at the host.
TEST_F(ControlTest, ALauncherThatStoodStillItselfSaysSo) {
  RunningDslaunch job({"-np", "1", "sh", "-c", "echo $$ > " + folder + "/pid; echo ready; exec sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  pid_t rank = 0;
  std::ifstream(folder + "/pid") >> rank;
  ASSERT_GT(rank, 0);
  job.signal(SIGSTOP);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (::kill(rank, 0) == 0 && std::chrono::steady_clock::now() < deadline) ::usleep(50000);
  job.signal(SIGCONT);
  const RunResult result = job.wait();
  EXPECT_EQ(result.code, 98);
  EXPECT_NE(result.err.find("dslaunch itself stood still for"), std::string::npos) << result.err;
}

TEST_F(ControlTest, AHangUpEndsTheJobUnlessNohupIgnoresIt) {
  RunningDslaunch job({"-np", "1", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  job.signal(SIGHUP);
  EXPECT_EQ(job.wait().code, 129);
  options.ignored_signal = SIGHUP;
  RunningDslaunch kept({"-np", "1", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(kept.wait_for("ready"));
  kept.signal(SIGHUP);
  kept.signal(SIGTSTP);  // its note comes after the hang-up would have been taken
  EXPECT_TRUE(kept.wait_for("Ctrl-Z has no effect")) << kept.err();
  EXPECT_EQ(kept.err().find("SIGHUP"), std::string::npos) << kept.err();
  kept.signal(SIGTERM);
  EXPECT_EQ(kept.wait().code, 143);
}

TEST_F(ControlTest, ARelativeFolderOfStatesIsIgnored) {
  options.env["XDG_STATE_HOME"] = "state";
  options.env["HOME"] = options.folder = folder;
  RunningDslaunch job({"-np", "1", "sh", "-c", "echo ready; sleep 300"}, options);
  ASSERT_TRUE(job.wait_for("ready"));
  EXPECT_FALSE(fs::exists(folder + "/state"));
  EXPECT_FALSE(fs::is_empty(folder + "/.local/state/dslaunch"));
}

TEST_F(ControlTest, WithoutAJobThereIsAClearError) {
  RunResult result = run_dslaunch({"status"}, options);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(nlohmann::json::parse(result.last_line())["error"], "no job is running");
  EXPECT_NE(run_dslaunch({"resize", "x", "-np", "2"}, options).err.find("not supported yet"), std::string::npos);
}

}  // namespace
}  // namespace ds::testing
