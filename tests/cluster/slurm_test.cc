// Inside a Slurm allocation dslaunch needs no hostfile, and scancel leaves nothing.
#include <algorithm>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

class SlurmTest : public JobTest {
 protected:
  SlurmTest() : JobTest(true) {}

  // Submits a job of 3 nodes with 2 tasks each; its number.
  std::string submit(const std::string& name, const std::string& command) {
    const std::string script = folder(name) + ".sh";
    std::ofstream(script) << "#!/bin/bash\n#SBATCH -N3 --ntasks-per-node=2 -o " << folder(name) << ".log\n"
                          << command << "\necho $? > " << folder(name) << ".code\n";
    const auto result = bed().run("node1", {"sbatch", "--parsable", script}, seconds(30));
    EXPECT_EQ(result.code, 0) << result.err;
    return std::string(trim(result.out));
  }

  std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The exit code that the command wrote; "" when it did not end in time.
  std::string code_of(const std::string& name, seconds deadline) {
    wait_until([&] { return read(folder(name) + ".code").ends_with("\n"); }, deadline);
    return std::string(trim(read(folder(name) + ".code")));
  }
};

TEST_F(SlurmTest, SbatchTrainsOnTheAllocationWithTheLossesOfOneRank) {
  const auto one = write_training_job(folder("one"), {});
  ASSERT_EQ(bed().run("node1", {program("dslaunch"), "-np", "1", one}, seconds(120)).code, 0);
  submit("six", program("dslaunch") + " " + write_training_job(folder("six"), {}));
  EXPECT_EQ(code_of("six", seconds(180)), "0") << read(folder("six") + ".log");
  EXPECT_LT(worst_difference(losses_of(folder("six")), losses_of(folder("one"))), 1e-5);
  expect_nothing_left();
}

TEST_F(SlurmTest, SrunStartsTheEngineWithoutALauncher) {
  const auto one = write_training_job(folder("one"), {});
  ASSERT_EQ(bed().run("node1", {program("dslaunch"), "-np", "1", one}, seconds(120)).code, 0);
  submit("pmix", "srun --mpi=pmix " + program("dsengine") + " " + write_training_job(folder("pmix"), {}));
  EXPECT_EQ(code_of("pmix", seconds(180)), "0") << read(folder("pmix") + ".log");
  EXPECT_LT(worst_difference(losses_of(folder("pmix")), losses_of(folder("one"))), 1e-5);
  expect_nothing_left();
}

TEST_F(SlurmTest, ScancelLeavesNothing) {
  const auto number = submit("long", program("dslaunch") + " " + write_training_job(folder("long"), {.steps = 1000000}));
  ASSERT_TRUE(wait_until([&] { return losses_of(folder("long")).size() >= 3; }, seconds(120))) << read(folder("long") + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", number}, seconds(30)).code, 0);
  expect_nothing_left(seconds(40));
}

// The scripts that the project ships, submitted as their first lines say.
class SlurmScriptTest : public SlurmTest {
 protected:
  std::string sbatch(std::vector<std::string> options, const std::string& script, std::vector<std::string> arguments) {
    options.insert(options.begin(), {"sbatch", "--parsable", "-N3", "--ntasks-per-node=2"});
    options.push_back(source() + "/scripts/slurm/" + script);
    options.insert(options.end(), arguments.begin(), arguments.end());
    CommandOptions where;
    where.folder = bed().folder();
    where.environment["DSLAUNCH"] = program("dslaunch");
    const auto result = bed().run("node1", options, seconds(30), where);
    EXPECT_EQ(result.code, 0) << result.err;
    return std::string(trim(result.out));
  }

  std::string state_of(const std::string& job) {
    const auto shown = bed().run("node1", {"scontrol", "show", "job", job, "-o"}, seconds(30)).out;
    return word_after(shown, "JobState=") + " " + word_after(shown, "ExitCode=");
  }

  // "COMPLETED 0:0", "FAILED 75:0", … once the job is over; "" at the deadline.
  std::string end_of(const std::string& job, seconds deadline) {
    std::string state;
    wait_until(
        [&] {
          state = state_of(job);
          return state.find("COMPLETED") == 0 || state.find("FAILED") == 0 || state.find("CANCELLED") == 0;
        },
        deadline);
    return state;
  }

  static std::string word_after(const std::string& text, const std::string& key) {
    const auto at = text.find(key);
    if (at == std::string::npos) return "";
    return text.substr(at + key.size(), text.find_first_of(" \n", at) - at - key.size());
  }

  std::string log(const std::string& file) { return read(folder(file)); }
  bool trains(const std::string& name) {
    return wait_until([&] { return losses_of(folder(name)).size() >= 3; }, seconds(120));
  }
};

TEST_F(SlurmScriptTest, ASingleJobSavesAtTheWarningAndEndsWith75) {
  const auto job = sbatch({}, "train.sh", {write_training_job(folder("single"), {.steps = 1000000})});
  ASSERT_TRUE(trains("single")) << log("dslaunch-" + job + ".log");
  ASSERT_EQ(bed().run("node1", {"scancel", "--batch", "--signal=USR1", job}, seconds(30)).code, 0);
  EXPECT_EQ(end_of(job, seconds(90)), "FAILED 75:0") << log("dslaunch-" + job + ".log");
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
