#include "agent/rank_server/mpirun/mpirun_command.h"

#include <gtest/gtest.h>

#include "agent/proto/control.pb.h"

namespace ds {
namespace {

control::StartGeneration three_hosts() {
  control::StartGeneration start;
  start.set_world_size(5);
  auto* a = start.add_hosts();
  a->set_name("a");
  for (uint32_t rank : {0u, 3u}) a->add_ranks(rank);
  auto* b = start.add_hosts();
  b->set_name("b");
  b->set_first_rank(1);
  b->set_num_ranks(2);
  auto* c = start.add_hosts();
  c->set_name("c");
  c->add_ranks(4);
  return start;
}

TEST(MpirunCommand, TheHostfileHasALineForEachRankInOrder) {
  EXPECT_EQ(sequential_hostfile(three_hosts()), "a\nb\nb\na\nc\n");
}

TEST(MpirunCommand, HostsWhoseNamesMpirunRefusesOrChangesGetOthers) {
  for (const char* kept : {"node7", "n-1", "10.77.0.1"}) {
    control::StartGeneration start;
    start.add_hosts()->set_name(kept);
    EXPECT_EQ(mpirun_name(start, 0), kept);
  }
  control::StartGeneration start = three_hosts();
  const char* refused_or_cut[] = {"a_b", "2001:db8::10", "c.rack.lan"};
  for (int node = 0; node < 3; ++node) start.mutable_hosts(node)->set_name(refused_or_cut[node]);
  EXPECT_EQ(sequential_hostfile(start),
            "dslaunch-node-0\ndslaunch-node-1\ndslaunch-node-1\ndslaunch-node-0\ndslaunch-node-2\n");
}

TEST(MpirunCommand, StartsOneStandInPerRankOneByOneAndUnbound) {
  const auto argv = mpirun_argv("/opt/bin/mpirun", three_hosts(), "/run/hosts", "/opt/dsagent");
  EXPECT_EQ(argv, (std::vector<std::string>{"/opt/bin/mpirun", "--hostfile", "/run/hosts", "--map-by", "seq", "--oversubscribe", "--bind-to",
                                            "none", "-np", "5", "/opt/dsagent", "--mpirun-rank"}));
}

TEST(MpirunCommand, DaemonsSeeNothingOfAnotherLauncher) {
  const Environment environment = mpirun_environment(
      {{"HOME", "/h"}, {"SLURM_JOB_ID", "7"}, {"PMIX_RANK", "3"}, {"OMPI_MCA_btl", "tcp"}, {"PMI_FD", "4"}}, "/run", "/opt/dsagent");
  EXPECT_EQ(environment.at("HOME"), "/h");
  EXPECT_EQ(environment.at(kMpirunSocket), "/run/mpirun");
  EXPECT_EQ(environment.at("OMPI_MCA_plm_rsh_agent"), "/opt/dsagent --mpirun-login");
  for (const char* gone : {"SLURM_JOB_ID", "PMIX_RANK", "OMPI_MCA_btl", "PMI_FD"}) EXPECT_FALSE(environment.count(gone)) << gone;
}

TEST(MpirunCommand, DaemonsListenWhereTheyMay) {
  const DaemonNetwork network{{23018, 23017, 23016}, {.include = "10.77.0.0/24"}};
  const Environment environment = mpirun_environment({}, "/run", "/opt/dsagent", network);
  EXPECT_EQ(environment.at("OMPI_MCA_oob_tcp_dynamic_ipv4_ports"), "23018");
  EXPECT_EQ(environment.at("OMPI_MCA_oob_tcp_dynamic_ipv6_ports"), "23017");
  EXPECT_EQ(environment.at("OMPI_MCA_oob_tcp_if_include"), "10.77.0.0/24");
  EXPECT_EQ(environment.at("PMIX_MCA_ptl_base_ipv4_port"), "23016");
  const Environment routed = mpirun_environment({}, "/run", "/opt/dsagent", {.networks = {.exclude = "lo,docker0"}});
  EXPECT_EQ(routed.at("OMPI_MCA_oob_tcp_if_exclude"), "lo,docker0");
  EXPECT_FALSE(routed.count("OMPI_MCA_oob_tcp_dynamic_ipv4_ports"));
  Environment rank;
  take_wiring(rank, environment);
  EXPECT_FALSE(rank.count("PMIX_MCA_ptl_base_ipv4_port")) << "of the server, not of its clients";
}

TEST(MpirunCommand, DaemonsKeepTheirSessionsInTheRunFolder) {
  const Environment environment = mpirun_environment({{"TMPDIR", "/" + std::string(120, 'x')}}, "/run", "/opt/dsagent");
  EXPECT_EQ(environment.at("TMPDIR"), "/run");
}

TEST(MpirunCommand, ARankTakesItsWiringAndKeepsItsParameters) {
  Environment rank = {{"OMPI_MCA_btl", "tcp,self"}, {"PATH", "/rank"}, {"OMPI_COMM_WORLD_SIZE", "5"}};
  take_wiring(rank, {{"OMPI_MCA_btl", "vader"}, {"OMPI_MCA_ess", "pmi"}, {"PMIX_RANK", "2"}, {"PATH", "/daemon"}, {"OMPI_COMM_WORLD_SIZE", "5"}});
  const Environment expected = {{"OMPI_MCA_btl", "tcp,self"}, {"PATH", "/rank"}, {"OMPI_COMM_WORLD_SIZE", "5"},
                                {"OMPI_MCA_ess", "pmi"}, {"PMIX_RANK", "2"}};
  EXPECT_EQ(rank, expected);
}

}  // namespace
}  // namespace ds
