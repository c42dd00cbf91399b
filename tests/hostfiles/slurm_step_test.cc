#include <gtest/gtest.h>

#include "hostfiles/slurm_allocation.h"
#include "hostfiles/slurm_step.h"

namespace ds {
namespace {

using Variables = std::map<std::string, std::string>;
using Titles = std::vector<std::string>;

// Job 12 has two hosts. The variables of its step, or of a step of the job that submitted it, name one.
const Variables kInStep{{"SLURM_JOB_ID", "12"},        {"SLURM_JOB_NODELIST", "n[1-2]"},
                        {"SLURM_STEP_NODELIST", "n1"}, {"SLURM_TASKS_PER_NODE", "2(x2)"},
                        {"SLURM_STEP_ID", "0"},        {"SLURM_STEP_TASKS_PER_NODE", "1"},
                        {"SLURM_STEPID", "0"},         {"SLURM_STEP_NUM_TASKS", "1"},
                        {"SLURM_PROCID", "0"}};

size_t num_hosts(const Titles& titles, const Variables& variables = kInStep) {
  return slurm_allocation(without_stale_step(variables, titles)).hosts.size();
}
std::string step(const std::string& title) {
  const auto found = slurm_step_of_title(title);
  return found ? found->job + " " + found->step : "-";
}

TEST(SlurmStep, IsReadFromTheTitleOfSlurmstepd) {
  EXPECT_EQ(step("slurmstepd: [12.batch]"), "12 batch");
  EXPECT_EQ(step(std::string("slurmstepd: [3.0]    ") + '\0'), "3 0") << "blanks hide what stood there";
  EXPECT_EQ(step("slurmstepd: [4.interactive]"), "4 interactive");
  EXPECT_EQ(step("slurmstepd: [12+1.0]"), "12 0");
  for (const char* other : {"", "/bin/bash", "slurmstepd: ", "slurmstepd: [1.0", "slurmstepd: [12]", "slurmstepd: [.0]", "slurmstepd: [12.]",
                            "vi slurmstepd: [1.0]"})
    EXPECT_EQ(step(other), "-") << other;
}

TEST(SlurmStep, IsBelievedInsideThatStepOnly) {
  EXPECT_EQ(num_hosts({"/bin/bash", "slurmstepd: [12.0]"}), 1u);
  EXPECT_EQ(num_hosts({"/bin/bash", "slurmstepd: [12.batch]"}), 2u) << "sbatch in a step of another job";
  EXPECT_EQ(num_hosts({"slurmstepd: [12.interactive]"}), 2u);
  EXPECT_EQ(num_hosts({"salloc", "slurmstepd: [11.0]"}), 2u) << "salloc in a step of another job";
  EXPECT_EQ(num_hosts({"salloc", "slurmstepd: [11.batch]"}), 2u);
  EXPECT_EQ(num_hosts({"slurmstepd: [12.0]", "srun", "slurmstepd: [11.0]"}), 1u) << "the nearest counts";
}

TEST(SlurmStep, IsBelievedWhereNothingIsSeen) {
  EXPECT_EQ(num_hosts({}), 1u);
  EXPECT_EQ(num_hosts({"/bin/bash", "/sbin/init"}), 1u);
}

TEST(SlurmStep, OfAnyComponentOfAHeterogeneousJobIsOfTheJob) {
  Variables variables = kInStep;
  EXPECT_EQ(num_hosts({"slurmstepd: [13.0]"}, variables), 2u);
  variables["SLURM_JOB_ID_HET_GROUP_1"] = "13";
  EXPECT_EQ(num_hosts({"slurmstepd: [13.0]"}, variables), 1u);
}

TEST(SlurmStep, OfOthersDoesNotMakeATaskOfMany) {
  Variables variables = kInStep;
  variables["SLURM_STEP_NUM_TASKS"] = variables["SLURM_NTASKS"] = "4";
  EXPECT_EQ(num_hosts({"slurmstepd: [12.batch]"}, variables), 2u);
  EXPECT_ANY_THROW(num_hosts({"slurmstepd: [12.0]"}, variables));
}

}  // namespace
}  // namespace ds
