// Inside a Slurm allocation dslaunch needs no hostfile, and scancel leaves nothing.
#include <algorithm>

#include "tests/cluster/slurm_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

TEST_F(SlurmTest, SbatchTrainsOnTheAllocationWithTheLossesOfOneRank) {
  const auto one = write_training_job(folder("one"), {});
  ASSERT_EQ(bed().run("node1", {program("dslaunch"), "-np", "1", one}, seconds(120)).code, 0);
  submit("six", program("dslaunch") + " " + write_training_job(folder("six"), {}));
  EXPECT_EQ(code_of("six", seconds(180)), "0") << read(folder("six") + ".log");
  EXPECT_LT(worst_difference(losses_of(folder("six")), losses_of(folder("one"))), 1e-5);
  expect_nothing_left();
}

// Between Slurm 22.05 and Open MPI 4.1 ranks may leave MPI_Init before all have come, and a late one then crashes there,
// whatever the program (2 of 40 starts of mpi_sum on a crowded machine). Before its first step such a job is started again.
TEST_F(SlurmTest, SrunStartsTheEngineWithoutALauncher) {
  const auto one = write_training_job(folder("one"), {});
  ASSERT_EQ(bed().run("node1", {program("dslaunch"), "-np", "1", one}, seconds(120)).code, 0);
  std::string name, code;
  for (int start = 0; start < 5 && code != "0"; ++start) {
    name = "pmix" + std::to_string(start);
    submit(name, "srun --mpi=pmix " + program("dsengine") + " " + write_training_job(folder(name), {}));
    code = code_of(name, seconds(180));
    const bool crashed_early = code == "139" && losses_of(folder(name)).empty();
    ASSERT_TRUE(code == "0" || crashed_early) << code << ": " << read(folder(name) + ".log");
  }
  EXPECT_EQ(code, "0") << read(folder(name) + ".log");
  EXPECT_LT(worst_difference(losses_of(folder(name)), losses_of(folder("one"))), 1e-5);
  expect_nothing_left();
}

TEST_F(SlurmTest, ScancelLeavesNothing) {
  const auto number = submit("long", program("dslaunch") + " " + write_training_job(folder("long"), {.steps = 1000000}));
  ASSERT_TRUE(wait_until([&] { return losses_of(folder("long")).size() >= 3; }, seconds(120))) << read(folder("long") + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", number}, seconds(30)).code, 0);
  expect_nothing_left(seconds(40));
  EXPECT_NE(read(folder("long") + ".log").find("\"exit_code\":143"), std::string::npos) << read(folder("long") + ".log");
}

// This Slurm has KillWait=5. A rank that takes no notice of TERM is killed by its agent before that, so there is a verdict.
TEST_F(SlurmTest, ScancelLeavesTheJobTimeToSayHowItEnded) {
  const std::string deaf = "bash -c \"trap '' TERM; touch " + folder("deaf") + "; while :; do sleep 1; done\"";
  const auto number = submit("stubborn", "exec " + program("dslaunch") + " --grace 60 -n 6 " + deaf);
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(folder("deaf")); }, seconds(60))) << read(folder("stubborn") + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", number}, seconds(30)).code, 0);
  expect_nothing_left(seconds(40));
  const std::string log = read(folder("stubborn") + ".log");
  EXPECT_NE(log.find("\"exit_code\":143"), std::string::npos) << log;
}

TEST_F(SlurmScriptTest, ASingleJobSavesAtTheWarningAndEndsWith75) {
  const auto job = sbatch({}, "train.sh", {write_training_job(folder("single"), {.steps = 1000000})});
  ASSERT_TRUE(trains("single")) << log("dslaunch-" + job + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", "--batch", "--signal=USR1", job}, seconds(30)).code, 0);
  EXPECT_EQ(end_of(job, seconds(90)), "FAILED 75:0") << log("dslaunch-" + job + ".log");
  EXPECT_EQ(bed().run("node1", {program("dstool"), "checkpoint", "verify", folder("single") + "/out"}, seconds(60)).code, 0);
  expect_nothing_left(seconds(40));
}

// Without --batch the signal goes to the steps, where the ranks are, and not to dslaunch.
TEST_F(SlurmScriptTest, ASignalToTheStepsSavesAndIsNoFailureToRecoverFrom) {
  const auto job = sbatch({}, "train.sh", {write_training_job(folder("single"), {.steps = 1000000}), "--elastic"});
  ASSERT_TRUE(trains("single")) << log("dslaunch-" + job + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", "--signal=USR1", job}, seconds(30)).code, 0);
  EXPECT_EQ(end_of(job, seconds(90)), "FAILED 75:0") << log("dslaunch-" + job + ".log");
  EXPECT_EQ(log("dslaunch-" + job + ".log").find("starting again"), std::string::npos) << log("dslaunch-" + job + ".log");
  EXPECT_EQ(bed().run("node1", {program("dstool"), "checkpoint", "verify", folder("single") + "/out"}, seconds(60)).code, 0);
  expect_nothing_left(seconds(40));
}

TEST_F(SlurmScriptTest, AJobThatIsWarnedQueuesItselfAgainAndGoesOnWhereItWas) {
  const auto job = sbatch({}, "requeue.sh", {write_training_job(folder("again"), {.steps = 400})});
  ASSERT_TRUE(trains("again")) << log("dslaunch-" + job + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", "--batch", "--signal=USR1", job}, seconds(30)).code, 0);
  ASSERT_TRUE(wait_until([&] { return log("dslaunch-" + job + ".log").find("queued again") != std::string::npos; }, seconds(90)))
      << log("dslaunch-" + job + ".log");
  // Slurm lets a job that was queued again wait for two minutes. Cut short, but not before the first run is gone from
  // the nodes: Slurm takes its late end for that of the second.
  expect_nothing_left(seconds(60));
  EXPECT_TRUE(wait_until(
      [&] {
        return state_of(job).starts_with("PENDING") &&
               bed().run("node1", {"scontrol", "update", "JobId=" + job, "StartTime=now+10"}, seconds(30)).code == 0;
      },
      seconds(60)));
  EXPECT_EQ(end_of(job, seconds(300)), "COMPLETED 0:0") << log("dslaunch-" + job + ".log");
  EXPECT_EQ(losses_of(folder("again")).size(), 400u);
  EXPECT_NE(log("dslaunch-" + job + ".log").find("run 2 of job"), std::string::npos);
  EXPECT_NE(log("dslaunch-" + job + ".log").find("resumed from"), std::string::npos) << log("dslaunch-" + job + ".log");
  expect_nothing_left(seconds(40));
}

TEST_F(SlurmScriptTest, AnArrayTrainsEachSeedInAFolderOfItsOwn) {
  const auto job = sbatch({"--array=1-4", "-N1"}, "array.sh", {write_training_job(folder("seeds"), {})});
  for (const std::string index : {"1", "2", "3", "4"}) {
    EXPECT_EQ(end_of(job + "_" + index, seconds(180)), "COMPLETED 0:0") << log("dslaunch-" + job + "_" + index + ".log");
    const std::string metrics = read(folder("runs/" + job + "/" + index + "/metrics.csv"));
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 21) << index;
  }
  expect_nothing_left(seconds(40));
}

}  // namespace
}  // namespace ds::testing
