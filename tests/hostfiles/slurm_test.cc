#include <gtest/gtest.h>

#include "hostfiles/slurm_allocation.h"
#include "hostfiles/slurm_nodelist.h"
#include "tests/topology/expect_error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Variables = std::map<std::string, std::string>;

std::string nodes(const std::string& list) { return join(parse_slurm_nodelist(list), " "); }
std::string refused(const std::string& list) {
  return usage_error_of([&] { parse_slurm_nodelist(list); });
}
std::string hosts(const Variables& variables) {
  std::string result;
  for (const Host& host : slurm_allocation(variables).hosts)
    result += host.name + ":" + (host.slots ? std::to_string(*host.slots) : "-") + " ";
  return result;
}

TEST(SlurmNodelist, SeparatesByCommasAndBlanksAndIgnoresEmptyItems) {
  EXPECT_EQ(nodes("a,b"), "a b");
  EXPECT_EQ(nodes("a b,,c,"), "a b c");
  EXPECT_EQ(nodes(""), "");
}
TEST(SlurmNodelist, ExpandsRangesWithWidths) {
  EXPECT_EQ(nodes("n[09-11]"), "n09 n10 n11");
  EXPECT_EQ(nodes("c[1-2]"), "c1 c2");
  EXPECT_EQ(nodes("host-[001-002]"), "host-001 host-002");
}
TEST(SlurmNodelist, MultipliesTwoBrackets) { EXPECT_EQ(nodes("rack[0-1]n[1-2]"), "rack0n1 rack0n2 rack1n1 rack1n2"); }
TEST(SlurmNodelist, AcceptsASuffixAfterTheLastBracket) { EXPECT_EQ(nodes("n[1-3]-ib,n[1-2].dom"), "n1-ib n2-ib n3-ib n1.dom n2.dom"); }
TEST(SlurmNodelist, KeepsOrderAndDuplicates) { EXPECT_EQ(nodes("b,a,b"), "b a b"); }
TEST(SlurmNodelist, TakesANameWithADashAsPlain) { EXPECT_EQ(nodes("n-1"), "n-1"); }
TEST(SlurmNodelist, ReadsUncompressedForms) { EXPECT_EQ(nodes("linux[1,2],c1-ib,c2-ib"), "linux1 linux2 c1-ib c2-ib"); }
TEST(SlurmNodelist, RefusesWhatIsNoList) {
  for (const char* list : {"n[2-1]", "n[]", "n[a-c]", "n[1-2", "n[1 - 2]", "n[0-65536]", "n1]", "a,%b", "-x"})
    EXPECT_FALSE(refused(list).empty()) << list;
}
TEST(SlurmNodelist, BoundsTheWholeList) { expect_words(refused("n[0-65535],m"), {"65536"}); }

TEST(SlurmCounts, RunInNodeOrder) {
  EXPECT_EQ(parse_slurm_counts("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(parse_slurm_counts("72(x2),36"), (std::vector<int>{72, 72, 36}));
  EXPECT_EQ(parse_slurm_counts("8"), (std::vector<int>{8}));
}
TEST(SlurmCounts, RefuseEverythingElseQuotingIt) {
  for (const char* list : {"", "2(x", "2(x3", "2(3)", "x", "-1", "2(x0)", "2(x-1)", "1,,2", "2(x99999999)", "1 2"})
    expect_words(usage_error_of([&] { parse_slurm_counts(list); }), {list});
}

TEST(SlurmAllocation, IsSeenOnlyInAJobWithANodeList) {
  EXPECT_FALSE(has_slurm_allocation({}));
  EXPECT_FALSE(has_slurm_allocation({{"SLURM_JOB_ID", "7"}}));
  EXPECT_FALSE(has_slurm_allocation({{"SLURM_JOB_NODELIST", "a"}}));
  EXPECT_TRUE(has_slurm_allocation({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "a"}}));
}

const Variables kJob{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "c[1-3]"}, {"SLURM_TASKS_PER_NODE", "2(x2),1"},
                     {"SLURM_JOB_CPUS_PER_NODE", "8(x3)"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

TEST(SlurmAllocation, TakesTasksPerNode) { EXPECT_EQ(hosts(kJob), "c1:2 c2:2 c3:1 "); }
TEST(SlurmAllocation, PrefersGpusUnlessTasksWereAskedFor) {
  EXPECT_EQ(hosts(with(kJob, "SLURM_GPUS_ON_NODE", "4")), "c1:4 c2:4 c3:4 ");
  EXPECT_EQ(hosts(with(with(kJob, "SLURM_GPUS_ON_NODE", "4"), "SLURM_NTASKS", "5")), "c1:2 c2:2 c3:1 ");
}
TEST(SlurmAllocation, LeavesSlotsOpenWhenNodesMayHaveDifferentNumbersOfGpus) {
  const Variables two{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "c[1-2]"}, {"SLURM_GPUS", "5"}, {"SLURM_GPUS_ON_NODE", "4"},
                      {"SLURM_TASKS_PER_NODE", "8(x2)"}};
  EXPECT_EQ(hosts(two), "c1:- c2:- ");
  EXPECT_EQ(hosts(with(two, "SLURM_GPUS_PER_NODE", "4")), "c1:4 c2:4 ");
  EXPECT_EQ(hosts(with(with(two, "SLURM_GPUS", ""), "SLURM_GPUS_PER_SOCKET", "2")), "c1:- c2:- ");
  EXPECT_EQ(hosts(with(two, "SLURM_NTASKS", "16")), "c1:8 c2:8 ") << "tasks were asked for";
  EXPECT_EQ(hosts(with(two, "SLURM_JOB_NODELIST", "c1")), "c1:4 ") << "of one node the number is known";
}
TEST(SlurmAllocation, IgnoresVariablesThatMeanSomethingElse) {
  EXPECT_EQ(hosts(with(kJob, "SLURM_JOB_GPUS", "0,1,2,3,4")), hosts(kJob)) << "numbers of the node, not of what this job may use";
  EXPECT_EQ(hosts(with(kJob, "SLURM_LAUNCH_NODE_IPADDR", "10.0.0.9")), hosts(kJob)) << "where srun ran, not the first node";
}
TEST(SlurmAllocation, FallsBackToCpus) { EXPECT_EQ(hosts(with(kJob, "SLURM_TASKS_PER_NODE", "")), "c1:8 c2:8 c3:8 "); }
TEST(SlurmAllocation, PrefersTheStep) {
  Variables step = with(kJob, "SLURM_STEP_NODELIST", "c2");
  EXPECT_EQ(hosts(with(step, "SLURM_STEP_TASKS_PER_NODE", "3")), "c2:3 ");
}
TEST(SlurmAllocation, TakesTheWholeJobInTheShellOfSalloc) {
  Variables shell = with(with(kJob, "SLURM_STEP_NODELIST", "c1"), "SLURM_STEP_TASKS_PER_NODE", "1");
  EXPECT_EQ(hosts(with(shell, "SLURM_STEP_ID", "4294967290")), "c1:2 c2:2 c3:1 ");
  EXPECT_EQ(hosts(with(shell, "SLURM_STEP_ID", "0")), "c1:1 ");
}
TEST(SlurmAllocation, RefusesToBeOneOfManyTasks) {
  Variables task = with(with(kJob, "SLURM_STEP_NUM_TASKS", "3"), "SLURM_NTASKS", "3");
  task = with(with(task, "SLURM_STEP_ID", "0"), "SLURM_PROCID", "1");
  expect_words(usage_error_of([&] { hosts(task); }), {"SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=3", "without srun", "srun -n1"});
  EXPECT_NE(hosts(with(with(task, "SLURM_STEP_NUM_TASKS", "1"), "SLURM_NTASKS", "1")), "") << "srun -n1";
  EXPECT_NE(hosts(with(task, "SLURM_PROCID", "")), "") << "the user says that it is the only one";
  EXPECT_NE(hosts(with(task, "SLURM_NTASKS", "6")), "") << "a batch script that was submitted by a task";
  EXPECT_NE(hosts(with(task, "SLURM_STEP_ID", "4294967290")), "") << "the shell of salloc";
  EXPECT_NE(hosts(with(kJob, "SLURM_PROCID", "0")), "") << "a batch script";
}
TEST(SlurmAllocation, RefusesCountsThatDoNotFitTheList) {
  expect_words(usage_error_of([&] { hosts(with(kJob, "SLURM_TASKS_PER_NODE", "2(x2)")); }),
               {"SLURM_TASKS_PER_NODE", "2(x2)", "2 nodes", "3"});
}

}  // namespace
}  // namespace ds
