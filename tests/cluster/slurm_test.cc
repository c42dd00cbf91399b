// Inside a Slurm allocation dslaunch needs no hostfile, and scancel leaves nothing.
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

}  // namespace
}  // namespace ds::testing
