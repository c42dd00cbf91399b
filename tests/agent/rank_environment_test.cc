#include "agent/rank_environment.h"

#include <gtest/gtest.h>

#include "agent/mca_defaults.h"
#include "agent/proto/control.pb.h"

namespace ds {

static control::StartGeneration two_hosts() {
  control::StartGeneration start;
  start.set_generation(4);
  start.set_name_space("job-1-4");
  start.set_world_size(4);
  start.set_wireup("pmix");
  start.set_node(1);
  start.set_run_folder("/run");
  start.set_memory_folder("/dev/shm/x");
  for (uint32_t host = 0; host < 2; ++host) {
    auto& spec = *start.add_hosts();
    spec.set_first_rank(2 * host);
    spec.set_num_ranks(2);
    spec.add_addresses("10.0.0." + std::to_string(host + 1));
  }
  for (uint32_t local = 0; local < 2; ++local) {
    auto& rank = *start.add_ranks();
    rank.set_rank(2 + local);
    rank.set_local_rank(local);
  }
  return start;
}

static RankSurroundings surroundings() {
  RankSurroundings result;
  result.job = "job";
  result.host_index = 7;
  result.usable_cores = 8;
  result.block_path = "/dev/shm/x/block.3";
  result.networks = {"10.0.0.0/24", "", "eth0"};
  return result;
}

TEST(RankEnvironmentOf, SaysWhoTheRankIs) {
  const auto start = two_hosts();
  const auto env = rank_environment({{"HOME", "/h"}, {"RANK", "99"}}, start, start.ranks(1), surroundings());
  const Environment expected = {{"RANK", "3"},
                                {"WORLD_SIZE", "4"},
                                {"LOCAL_RANK", "1"},
                                {"LOCAL_WORLD_SIZE", "2"},
                                {"NODE_RANK", "1"},
                                {"OMPI_COMM_WORLD_RANK", "3"},
                                {"OMPI_COMM_WORLD_SIZE", "4"},
                                {"DSLAUNCH_JOB", "job"},
                                {"DSLAUNCH_GENERATION", "4"},
                                {"DSLAUNCH_HOST_INDEX", "7"},
                                {"DSLAUNCH_BLOCK", "/dev/shm/x/block.3"},
                                {"HOME", "/h"},
                                {"OMP_NUM_THREADS", "4"},
                                {"MASTER_ADDR", "10.0.0.1"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(get_or(env, name, "missing"), value) << name;
}

TEST(RankEnvironmentOf, TracesOfOtherLaunchersAreLeftOut) {
  const auto start = two_hosts();
  const auto env = rank_environment({{"PMIX_RANK", "0"},
                                     {"SLURM_JOB_ID", "1"},
                                     {"OMPI_MCA_ess", "env"},
                                     {"PMI_FD", "3"},
                                     {"DSLAUNCH_SERVER_OF", "job"},
                                     {"DSLAUNCH_BLOCK", "/outer"}},
                                    start, start.ranks(0), surroundings());
  for (const char* name : {"PMIX_RANK", "SLURM_JOB_ID", "OMPI_MCA_ess", "PMI_FD", "DSLAUNCH_SERVER_OF"})
    EXPECT_EQ(env.count(name), 0u) << name;
  EXPECT_NE(get_or(env, "DSLAUNCH_BLOCK", ""), "/outer");
}

TEST(RankEnvironmentOf, EveryHostDerivesTheSameMeetingPoint) {
  auto start = two_hosts();
  const auto here = rank_environment({}, start, start.ranks(0), surroundings());
  start.set_node(0);
  const auto there = rank_environment({}, start, start.ranks(1), surroundings());
  EXPECT_EQ(get_or(here, "MASTER_PORT", "a"), get_or(there, "MASTER_PORT", "b"));
}

TEST(RankEnvironmentOf, TheUserWinsOverDefaultsButNotOverThePlace) {
  auto start = two_hosts();
  start.add_env("OMP_NUM_THREADS=3");
  start.add_env("FILE={run}/train.cfg");
  start.add_env("prepend LD_LIBRARY_PATH=/x:/y");
  start.mutable_ranks(0)->add_env("prepend LD_LIBRARY_PATH=/w");
  start.add_env("prepend NEW=/x");
  start.add_env("RANK=17");
  start.add_mca("pml=ucx");
  start.mutable_ranks(0)->add_env("MASTER_PORT=4242");
  const auto env = rank_environment({{"LD_LIBRARY_PATH", "/here"}}, start, start.ranks(0), surroundings());
  EXPECT_EQ(get_or(env, "OMP_NUM_THREADS", ""), "3");
  EXPECT_EQ(get_or(env, "FILE", ""), "{run}/train.cfg");
  EXPECT_EQ(get_or(env, "LD_LIBRARY_PATH", ""), "/w:/x:/y:/here");
  EXPECT_EQ(get_or(env, "NEW", ""), "/x");
  EXPECT_EQ(get_or(env, "RANK", ""), "2");
  EXPECT_EQ(get_or(env, "MASTER_PORT", ""), "4242");
  EXPECT_EQ(get_or(env, "OMPI_MCA_pml", ""), "ucx");
  EXPECT_EQ(env.count("OMPI_MCA_btl"), 0u);
}

TEST(RankEnvironmentOf, AnInterfaceThatTheUserNamesIsForAllLibraries) {
  auto start = two_hosts();
  EXPECT_EQ(rank_environment({}, start, start.ranks(0), surroundings()).count("NCCL_SOCKET_IFNAME"), 0u) << "nobody asked";
  start.set_interface("eth0");
  start.add_env("GLOO_SOCKET_IFNAME=lo");
  const auto env = rank_environment({}, start, start.ranks(0), surroundings());
  EXPECT_EQ(get_or(env, "NCCL_SOCKET_IFNAME", ""), "eth0");
  EXPECT_EQ(get_or(env, "GLOO_SOCKET_IFNAME", ""), "lo");
  EXPECT_EQ(get_or(env, "OMPI_MCA_btl_tcp_if_include", ""), "10.0.0.0/24");
}

TEST(RankEnvironmentOf, BoundRanksGetAsManyThreadsAsCores) {
  auto start = two_hosts();
  for (const uint32_t cpu : {4u, 5u, 6u, 12u, 13u, 14u}) start.mutable_ranks(0)->add_cpus(cpu);
  start.mutable_ranks(0)->set_num_cores(3);
  EXPECT_EQ(get_or(rank_environment({}, start, start.ranks(0), surroundings()), "OMP_NUM_THREADS", ""), "3");
}

TEST(McaDefaults, NameTheTransportsOfOneAndOfSeveralHosts) {
  Environment one;
  add_mca_defaults(one, {.memory_folder = "/dev/shm/x"});
  EXPECT_EQ(get_or(one, "OMPI_MCA_pml", ""), "ob1");
  EXPECT_EQ(get_or(one, "OMPI_MCA_btl", ""), "self,vader");
  EXPECT_EQ(get_or(one, "OMPI_MCA_btl_vader_backing_directory", ""), "/dev/shm/x");
  EXPECT_EQ(get_or(one, "OMPI_MCA_mpi_yield_when_idle", ""), "1");
  EXPECT_EQ(one.count("OMPI_MCA_mpi_oversubscribe"), 0u);
  Environment several;
  add_mca_defaults(several, {.several_hosts = true, .oversubscribed = true, .included_networks = "10.0.0.0/24"});
  EXPECT_EQ(get_or(several, "OMPI_MCA_btl", ""), "self,vader,tcp");
  EXPECT_EQ(get_or(several, "OMPI_MCA_btl_tcp_if_include", ""), "10.0.0.0/24");
  EXPECT_EQ(get_or(several, "OMPI_MCA_mpi_oversubscribe", ""), "1");
}

TEST(McaDefaults, GiveWayToTheUserAndToFastFabrics) {
  Environment user = {
      {"OMPI_MCA_btl_tcp_if_exclude", "lo"}, {"OMPI_MCA_mtl", "psm2"}, {"OMPI_MCA_mpi_yield_when_idle", "0"}};
  add_mca_defaults(user, {.several_hosts = true, .included_networks = "10.0.0.0/24"});
  EXPECT_EQ(user.count("OMPI_MCA_pml") + user.count("OMPI_MCA_btl") + user.count("OMPI_MCA_btl_tcp_if_include"), 0u);
  EXPECT_EQ(user["OMPI_MCA_mpi_yield_when_idle"], "0");
  Environment fabric;
  add_mca_defaults(fabric, {.several_hosts = true, .fast_fabric = true});
  EXPECT_EQ(fabric.count("OMPI_MCA_pml") + fabric.count("OMPI_MCA_btl") + fabric.count("OMPI_MCA_btl_tcp_if_include"), 0u);
}

TEST(McaDefaults, WhereNoNetworkIsSharedWhatNobodyElseMeansIsLeftOut) {
  Environment env;
  add_mca_defaults(env, {.several_hosts = true, .excluded_networks = "lo,br0"});
  EXPECT_EQ(get_or(env, "OMPI_MCA_btl_tcp_if_exclude", ""), "lo,br0");
  Environment user = {{"OMPI_MCA_btl_tcp_if_include", "eth1"}};
  add_mca_defaults(user, {.several_hosts = true, .excluded_networks = "lo,br0"});
  EXPECT_EQ(user.count("OMPI_MCA_btl_tcp_if_exclude"), 0u);
}

TEST(McaDefaults, TracesOfAnMpirunAreNoWishes) {
  EXPECT_TRUE(is_user_parameter("OMPI_MCA_btl_tcp_if_include"));
  EXPECT_TRUE(is_user_parameter("OMPI_MCA_coll_tuned_use_dynamic_rules"));
  for (const char* trace : {"OMPI_MCA_ess", "OMPI_MCA_orte_hnp_uri", "OMPI_MCA_pmix", "OMPI_COMM_WORLD_RANK", "PATH"})
    EXPECT_FALSE(is_user_parameter(trace)) << trace;
}

TEST(HostSpecRanks, AreContiguousUnlessListed) {
  control::HostSpec host;
  host.set_first_rank(4);
  host.set_num_ranks(2);
  EXPECT_EQ(ranks_of(host), (std::vector<uint32_t>{4, 5}));
  host.add_ranks(1);
  host.add_ranks(3);
  EXPECT_EQ(ranks_of(host), (std::vector<uint32_t>{1, 3}));
}

TEST(RunFolderName, StandsForTheFolderOnlyInFrontOfAnArgumentOfTraining) {
  control::StartGeneration start;
  start.set_run_folder("/r");
  EXPECT_EQ(with_run_folder("{run}/x", start), "{run}/x");
  start.set_training(true);
  EXPECT_EQ(with_run_folder("{run}/x", start), "/r/x");
  EXPECT_EQ(with_run_folder("--a={run}/x", start), "--a={run}/x");
}

TEST(RankEnvironmentOf, HintsGiveWayToWhatAnybodyHasSet) {
  auto start = two_hosts();
  auto& rank = *start.mutable_ranks(0);
  for (const char* hint : {"UCX_NET_DEVICES=mlx5_1:1", "NCCL_IB_HCA==mlx5_1:1", "HERE=hint"}) rank.add_hints(hint);
  const auto free = rank_environment({}, start, rank, surroundings());
  EXPECT_EQ(get_or(free, "UCX_NET_DEVICES", ""), "mlx5_1:1");
  EXPECT_EQ(get_or(free, "NCCL_IB_HCA", ""), "=mlx5_1:1");
  start.add_env("UCX_NET_DEVICES=all");
  rank.add_env("NCCL_IB_HCA=mlx5_0");
  const auto set = rank_environment({{"HERE", "host"}}, start, rank, surroundings());
  EXPECT_EQ(get_or(set, "UCX_NET_DEVICES", ""), "all");
  EXPECT_EQ(get_or(set, "NCCL_IB_HCA", ""), "mlx5_0");
  EXPECT_EQ(get_or(set, "HERE", ""), "host");
}

}  // namespace ds
