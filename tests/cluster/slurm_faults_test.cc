// Slurm jobs in the cases that batch users are woken by: a node dies, tasks are spread unevenly, dslaunch stands in a step.
#include <signal.h>

#include <algorithm>

#include "tests/cluster/slurm_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

class SlurmFaults : public SlurmScriptTest {
 protected:
  // Slurm lets a job that was queued again wait for two minutes; cut short once the first run is gone from the nodes.
  void start_again_soon(const std::string& job) {
    EXPECT_TRUE(wait_until(
        [&] {
          return state_of(job).starts_with("PENDING") &&
                 bed().run("node1", {"scontrol", "update", "JobId=" + job, "StartTime=now+10"}, seconds(30)).code == 0;
        },
        seconds(120)));
  }
};

TEST_F(SlurmFaults, AJobWhoseNodeDiesQueuesItselfAgainAndGoesOnElsewhere) {
  const auto job = sbatch({"-N2"}, "requeue.sh", {write_training_job(folder("dies"), {.steps = 400, .checkpoint_every = 10})});
  const auto name = "dslaunch-" + job + ".log";
  ASSERT_TRUE(wait_until([&] { return losses_of(folder("dies")).size() >= 15; }, seconds(120))) << log(name);
  bed().kill_host("node2");
  EXPECT_TRUE(wait_until([&] { return log(name).find("queued again") != std::string::npos || state_of(job).starts_with("PENDING"); }, seconds(120)))
      << log(name);
  EXPECT_NE(log(name).find("node2"), std::string::npos) << "the log names the node: " << log(name);
  EXPECT_EQ(bed().leftovers(seconds(60)), "");
  start_again_soon(job);
  EXPECT_EQ(end_of(job, seconds(300)), "COMPLETED 0:0") << log(name);
  EXPECT_NE(log(name).find("run 2 of job"), std::string::npos) << log(name);
  EXPECT_NE(log(name).find("resum"), std::string::npos) << "from the checkpoint, not from the start: " << log(name);
  EXPECT_EQ(losses_of(folder("dies")).size(), 400u);
  expect_nothing_left(seconds(40));
}

// --no-kill keeps the allocation; the batch script and dslaunch stand on node1.
TEST_F(SlurmFaults, AnElasticJobGoesOnWithoutTheNodeThatDied) {
  const auto job = sbatch({"--no-kill"}, "train.sh",
                          {write_training_job(folder("elastic"), {.steps = 400, .checkpoint_every = 10}), "--elastic"});
  const auto name = "dslaunch-" + job + ".log";
  ASSERT_TRUE(wait_until([&] { return losses_of(folder("elastic")).size() >= 15; }, seconds(120))) << log(name);
  bed().kill_host("node3");
  EXPECT_EQ(end_of(job, seconds(300)), "COMPLETED 0:0") << log(name);
  EXPECT_NE(log(name).find("4 ranks on node1, node2 (there were 6)"), std::string::npos) << log(name);
  EXPECT_EQ(losses_of(folder("elastic")).size(), 400u);
  EXPECT_EQ(bed().leftovers(seconds(60)), "");
}

// One agent dies, its node does not: a step of its own brings the next one.
TEST_F(SlurmFaults, AnElasticJobTakesANodeInAgain) {
  const auto job = sbatch({"--no-kill"}, "train.sh",
                          {write_training_job(folder("again"), {.steps = 800, .checkpoint_every = 10}), "--elastic", "--elastic.grow_after", "0"});
  const auto name = "dslaunch-" + job + ".log";
  ASSERT_TRUE(wait_until([&] { return losses_of(folder("again")).size() >= 15; }, seconds(120))) << log(name);
  for (const auto& seen : bed().processes("node3"))
    if (is_agent(seen)) ::kill(seen.pid, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return log(name).find("6 ranks on node1, node2, node3 (there were 4)") != std::string::npos; }, seconds(120))) << log(name);
  EXPECT_EQ(end_of(job, seconds(300)), "COMPLETED 0:0") << log(name);
  EXPECT_EQ(losses_of(folder("again")).size(), 800u);
  expect_nothing_left(seconds(40));
}

TEST_F(SlurmFaults, ANodeThatIsCutOffEndsTheJobWith98AndItsName) {
  submit("cut", program("dslaunch") + " sh -c 'echo up; exec sleep 1000'");
  ASSERT_TRUE(wait_until([&] { return std::ranges::count(read(folder("cut") + ".log"), '\n') >= 6; }, seconds(120)))
      << read(folder("cut") + ".log");
  bed().cut("node3");
  EXPECT_EQ(code_of("cut", seconds(60)), "98") << read(folder("cut") + ".log");
  EXPECT_NE(read(folder("cut") + ".log").find("host lost: node3"), std::string::npos) << read(folder("cut") + ".log");
  EXPECT_EQ(bed().leftovers(seconds(60)), "") << "the ranks of the node that was cut off end by themselves";
  bed().heal("node3");
}

TEST_F(SlurmFaults, TasksSpreadUnevenlyAreRanksWhereSlurmPutThem) {
  const std::string script = folder("uneven") + ".sh";
  std::ofstream(script) << "#!/bin/bash\n#SBATCH -N3 -n5 -o " << folder("uneven") << ".log\n"
                        << program("dslaunch") << " --tag-output hostname | sed 's/.*,\\([0-9]\\).*:/\\1 /' | sort > " << folder("uneven")
                        << ".ours\nsrun -l hostname | sed 's/: / /' | sort > " << folder("uneven") << ".theirs\necho $? > "
                        << folder("uneven") << ".code\n";
  ASSERT_EQ(bed().run("node1", {"sbatch", script}, seconds(30)).code, 0);
  EXPECT_EQ(code_of("uneven", seconds(120)), "0") << read(folder("uneven") + ".log");
  EXPECT_EQ(read(folder("uneven") + ".ours"), read(folder("uneven") + ".theirs")) << read(folder("uneven") + ".log");
  EXPECT_EQ(std::ranges::count(read(folder("uneven") + ".ours"), '\n'), 5);
  expect_nothing_left();
}

TEST_F(SlurmFaults, InsideAStepOfOneTaskItUsesTheNodesOfTheStep) {
  submit("step", "srun -N1 -n1 " + program("dslaunch") + " sh -c 'echo $RANK of $WORLD_SIZE'");
  EXPECT_EQ(code_of("step", seconds(120)), "0") << read(folder("step") + ".log");
  EXPECT_NE(read(folder("step") + ".log").find("0 of 1\n"), std::string::npos) << read(folder("step") + ".log");
  expect_nothing_left();
}

// It has the step's variables still, which name one node.
TEST_F(SlurmFaults, AJobThatAStepSubmittedHasAllItsNodes) {
  const std::string script = folder("inner") + ".sh";
  std::ofstream(script) << "#!/bin/bash\n#SBATCH -N2 --ntasks-per-node=2 -o " << folder("inner") << ".log\n"
                        << "echo step on $SLURM_STEP_NODELIST\n" << program("dslaunch")
                        << " sh -c 'echo rank of $WORLD_SIZE'\necho $? > " << folder("inner") << ".code\n";
  submit("outer", "srun -N1 -n1 sbatch " + script);
  EXPECT_EQ(code_of("inner", seconds(120)), "0") << read(folder("outer") + ".log");
  const std::string log = read(folder("inner") + ".log");
  EXPECT_TRUE(log.starts_with("step on node1\nrank of 4\n")) << log;
  EXPECT_EQ(std::ranges::count(log, '\n'), 5) << log;
  expect_nothing_left();
}

TEST_F(SlurmFaults, ATaskOfManyDoesNotStartAJobOfItsOwn) {
  submit("tasks", "srun -N3 -n3 " + program("dslaunch") + " sh -c 'echo a rank'");
  EXPECT_EQ(code_of("tasks", seconds(120)), "2") << read(folder("tasks") + ".log");
  const std::string log = read(folder("tasks") + ".log");
  EXPECT_EQ(log.find("a rank"), std::string::npos) << log;
  EXPECT_NE(log.find("each of them would start the whole job"), std::string::npos) << log;
  expect_nothing_left();
}

TEST_F(SlurmFaults, AListOfNodesOfTheAllocationNeedsNoSsh) {
  std::filesystem::create_directories(folder("bin"));
  std::ofstream(folder("bin/ssh")) << "#!/bin/sh\nexit 1\n";
  std::filesystem::permissions(folder("bin/ssh"), std::filesystem::perms(0755));
  const std::string ranks = " sh -c 'echo rank $RANK on $(hostname)'";
  submit("list", "export PATH=" + folder("bin") + ":$PATH\n" + program("dslaunch") + " -H elsewhere" + ranks + "\necho $?\n" +
                     program("dslaunch") + " -H node3:2,node2" + ranks);
  EXPECT_EQ(code_of("list", seconds(120)), "0") << read(folder("list") + ".log");
  const std::string log = read(folder("list") + ".log");
  EXPECT_NE(log.find("elsewhere: not in the allocation of SLURM job"), std::string::npos) << log;
  for (const char* line : {"\n2\n", "rank 0 on node3\n", "rank 1 on node3\n", "rank 2 on node2\n"})
    EXPECT_NE(log.find(line), std::string::npos) << line << log;
  expect_nothing_left();
}

TEST_F(SlurmFaults, CpusPerTaskDoNotMultiplyAgents) {
  const std::string script = folder("cpus") + ".sh";
  std::ofstream(script) << "#!/bin/bash\n#SBATCH -N3 --ntasks-per-node=1 -c2 -o " << folder("cpus") << ".log\n"
                        << program("dslaunch") << " sh -c 'echo rank $RANK of $WORLD_SIZE'\necho $? > " << folder("cpus") << ".code\n";
  ASSERT_EQ(bed().run("node1", {"sbatch", script}, seconds(30)).code, 0);
  EXPECT_EQ(code_of("cpus", seconds(120)), "0") << read(folder("cpus") + ".log");
  for (const std::string rank : {"0", "1", "2"})
    EXPECT_NE(read(folder("cpus") + ".log").find("rank " + rank + " of 3\n"), std::string::npos) << read(folder("cpus") + ".log");
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
