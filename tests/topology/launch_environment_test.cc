#include "topology/launch_environment.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

const RankEnvironment kPlace{.source = RankSource::kDslaunch, .rank = 5, .world_size = 6, .local_rank = 1, .local_size = 2,
                             .node_rank = 2, .generation = 3, .job = "j7", .master_address = "10.0.0.1", .master_port = 4711};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

void expect_same(const RankEnvironment& a, const RankEnvironment& b) {
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.world_size, b.world_size);
  EXPECT_EQ(a.local_rank, b.local_rank);
  EXPECT_EQ(a.local_size, b.local_size);
  EXPECT_EQ(a.node_rank, b.node_rank);
  EXPECT_EQ(a.generation, b.generation);
  EXPECT_EQ(a.job, b.job);
  EXPECT_EQ(a.master_address, b.master_address);
  EXPECT_EQ(a.master_port, b.master_port);
}

TEST(LaunchEnvironment, HoldsTheDocumentedVariables) {
  const Variables expected{{"RANK", "5"}, {"WORLD_SIZE", "6"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}, {"NODE_RANK", "2"},
                           {"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "4711"}, {"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "6"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"OMPI_COMM_WORLD_NODE_RANK", "1"},
                           {"DSLAUNCH_JOB", "j7"}, {"DSLAUNCH_GENERATION", "3"}};
  EXPECT_EQ(rank_variables(kPlace), expected);
}

TEST(LaunchEnvironment, IsReadBackAsItWasWritten) {
  expect_same(read_rank_environment(rank_variables(kPlace)), kPlace);
  expect_same(read_rank_environment(with(rank_variables(kPlace), {{"SLURM_PROCID", "0"}, {"PMIX_RANK", "5"}})), kPlace);
}

TEST(LaunchEnvironment, OfNobodyIsAWorldOfOne) {
  expect_same(read_rank_environment({}), RankEnvironment{});
  expect_same(read_rank_environment({{"RANK", "3"}, {"WORLD_SIZE", "4"}}), RankEnvironment{});
}

const Variables kMpirun{{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};

TEST(LaunchEnvironment, UnderstandsMpirun) {
  const RankEnvironment place = read_rank_environment(kMpirun);
  EXPECT_EQ(place.source, RankSource::kMpirun);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.world_size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.node_rank, std::nullopt);
}

TEST(LaunchEnvironment, BelievesAnMpirunInsideARankOfOurs) {
  EXPECT_EQ(read_rank_environment(with(rank_variables(kPlace), kMpirun)).source, RankSource::kMpirun);
}

const Variables kSlurm{{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "5"}, {"SLURM_NTASKS", "9"}, {"SLURM_LOCALID", "0"},
                       {"SLURM_NODEID", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}, {"PMIX_RANK", "4"}};

TEST(LaunchEnvironment, UnderstandsAStepOfSlurmWithPmix) {
  const RankEnvironment place = read_rank_environment(kSlurm);
  EXPECT_EQ(place.source, RankSource::kSlurm);
  EXPECT_EQ(place.rank, 4);
  EXPECT_EQ(place.world_size, 5);
  EXPECT_EQ(place.local_size, 1);
  EXPECT_EQ(place.node_rank, 2);
}

TEST(LaunchEnvironment, DoesNotTakeABatchScriptForARank) {
  Variables batch = kSlurm;
  batch.erase("PMIX_RANK");
  expect_same(read_rank_environment(batch), RankEnvironment{});
}

TEST(LaunchEnvironment, NamesAnImpossibleVariable) {
  const auto refused = [](const Variables& variables) {
    return usage_error_of([&] { read_rank_environment(variables); });
  };
  expect_words(refused(with(rank_variables(kPlace), {{"LOCAL_RANK", "x"}})), {"LOCAL_RANK='x'"});
  expect_words(refused(with(rank_variables(kPlace), {{"DSLAUNCH_GENERATION", "0"}})), {"DSLAUNCH_GENERATION='0'"});
  expect_words(refused(with(kMpirun, {{"OMPI_COMM_WORLD_RANK", "4"}})), {"OMPI_COMM_WORLD_RANK=4", "OMPI_COMM_WORLD_SIZE=4"});
  expect_words(refused(with(kMpirun, {{"OMPI_COMM_WORLD_LOCAL_SIZE", ""}})), {"OMPI_COMM_WORLD_LOCAL_SIZE=''"});
  expect_words(refused(with(kSlurm, {{"SLURM_NODEID", "3"}})), {"SLURM_STEP_TASKS_PER_NODE", "node 3"});
  expect_words(refused(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "2(x"}})), {"2(x"});
  expect_words(refused(with(rank_variables(kPlace), {{"RANK", "99999999999"}, {"OMPI_COMM_WORLD_RANK", "99999999999"}})), {"RANK='99999999999'"});
}

TEST(LaunchEnvironment, KeepsTheVariablesOfOtherLaunchersFromRanks) {
  for (const char* name : {"PMIX_RANK", "PMI_FD", "PMI2_X", "OMPI_COMM_WORLD_RANK", "OMPI_MCA_ess", "SLURM_PROCID", "SLURMD_NODENAME", "ORTE_X", "JSM_JSRUN_PORT",
                           "FLUX_JOB_ID", "RANK", "MASTER_ADDR", "DSLAUNCH_JOB", "DSLAUNCH_BLOCK"})
    EXPECT_TRUE(must_not_reach_ranks(name)) << name;
  for (const char* name : {"PATH", "HOME", "OMP_NUM_THREADS", "UCX_TLS", "NCCL_DEBUG", "PMIX", "CUDA_VISIBLE_DEVICES", "RANK_ORDER"})
    EXPECT_FALSE(must_not_reach_ranks(name)) << name;
  EXPECT_EQ(inherited_by_ranks({{"A", "1=2\n3"}, {"SLURM_X", "1"}}), (Variables{{"A", "1=2\n3"}}));
}

}  // namespace
}  // namespace ds
