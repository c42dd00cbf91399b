// Which hosts a job gets: the first source that is there, one name for each machine, files that must be there.
#include <gtest/gtest.h>

#include "hostfiles/rankfile.h"
#include "launcher/plan/host_filters.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/plan/job.h"
#include "launcher/plan/job_identity.h"
#include "launcher/plan/local_machine.h"
#include "launcher/options/options.h"
#include "tests/launcher/fake_login.h"
#include "tests/topology/expect_error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using testing::kElsewhere;
using testing::kElsewhereToo;
using testing::TemporaryFolder;
using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

const Variables kSlurmJob = {
    {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "2(x3)"}};

std::string names_of(const Cluster& cluster) {
  Words names;
  for (const Host& host : cluster.hosts) names.push_back(host.name);
  return join(names, " ");
}

class HostSources : public ::testing::Test {
 protected:
  std::string hosts(Words words, const Variables& environment) {
    words.push_back("true");
    source = hosts_from(parse_options(words), environment, {.name = "here"}, std::nullopt);
    return names_of(source.cluster);
  }
  std::string refused(const Words& words) {
    return usage_error_of([&] { hosts(words, {}); });
  }
  TemporaryFolder folder;
  std::string given = folder.write("given", "from-hostfile\n"), standard = folder.write("standard", "from-option\n");
  Variables variable = {{"OMPI_MCA_orte_default_hostfile", folder.write("variable", "from-variable\n")}};
  HostSource source;
};

TEST_F(HostSources, ADefaultHostfileIsTheLastThatIsAsked) {
  EXPECT_EQ(hosts({"--default-hostfile", standard}, {}), "from-option");
  EXPECT_EQ(source.source, "hostfile " + standard);
  EXPECT_EQ(hosts({"--default-hostfile", standard}, variable), "from-option");
  EXPECT_EQ(hosts({}, variable), "from-variable");
  EXPECT_EQ(hosts({"--default-hostfile", standard, "--hostfile", given}, variable), "from-hostfile");
  EXPECT_EQ(hosts({"--hostfile", given, "--default-hostfile", standard}, variable), "from-hostfile");
  EXPECT_EQ(hosts({"--default-hostfile", standard, "-H", "a"}, variable), "a");
  EXPECT_EQ(hosts({"--default-hostfile", standard}, kSlurmJob), "n1 n2 n3");
  EXPECT_TRUE(source.slurm);
}

TEST_F(HostSources, ATopologyFileIsAskedWhenNothingElseNamesHosts) {
  const std::string file = folder.write("topology", R"({"hosts": [{"name": "t1", "slots": 2}, {"name": "t2", "cores": 4}]})");
  EXPECT_EQ(hosts({"--topology", file}, {}), "t1 t2");
  EXPECT_EQ(source.source, "topology file " + file);
  EXPECT_EQ(hosts({"--topology", file}, variable), "from-variable");
  EXPECT_EQ(hosts({"--topology", file, "-H", "t2"}, {}), "t2");
  EXPECT_EQ(hosts({"--topology", file}, kSlurmJob), "n1 n2 n3");
}

TEST_F(HostSources, AHostfileBesideAListTellsHowToLogIn) {
  const std::string file = folder.write("logins", "eve@a slots=4 port=2222\nb slots=4 port=23\n");
  EXPECT_EQ(hosts({"--hostfile", file, "-H", "c,a:2,bob@b"}, {}), "c a b");
  const std::vector<Host>& all = source.cluster.hosts;
  EXPECT_EQ(all[1].slots, 2);
  EXPECT_EQ(all[1].user + " " + std::to_string(all[1].port), "eve 2222");
  EXPECT_EQ(all[2].user + " " + std::to_string(all[2].port), "bob 23");
  EXPECT_EQ(all[0].port, 0);
  expect_words(refused({"--hostfile", folder.path + "/missing", "-H", "a"}), {folder.path + "/missing"});
}

TEST_F(HostSources, ListsOfSeveralOptionsAddUp) {
  EXPECT_EQ(hosts({"-H", "a:1,b", "--host", "a", "-H", "a:1"}, {}), "a b");
  EXPECT_EQ(source.cluster.hosts[0].slots, 3);
}

TEST_F(HostSources, ProgramsBringTheirOwnHosts) {
  const std::string file = folder.write("more", "c slots=4 port=2222\na slots=1\n");
  EXPECT_EQ(hosts({"-np", "1", "-H", "a:2,b", "x", ":", "-np", "1", "--hostfile", file, "y", ":", "-np", "1"}, kSlurmJob), "a b c");
  EXPECT_EQ(source.source, "-H : hostfile " + file);
  const std::vector<Host>& all = source.cluster.hosts;
  EXPECT_EQ(all[0].slots, 2);
  EXPECT_EQ(all[0].program_slots, (std::vector<int>{2, 1, kMaxSlots}));
  EXPECT_EQ(all[1].program_slots, (std::vector<int>{1, 0, kMaxSlots}));
  EXPECT_EQ(all[2].program_slots, (std::vector<int>{0, 4, kMaxSlots}));
  EXPECT_EQ(all[2].port, 2222);
}

TEST_F(HostSources, OpenMpisParameterIsAskedAfterSlurm) {
  Variables both = kSlurmJob;
  both.insert(variable.begin(), variable.end());
  EXPECT_EQ(hosts({}, both), "n1 n2 n3");
  EXPECT_EQ(hosts({}, {{"OMPI_MCA_orte_default_hostfile", ""}}), "here");
}

TEST_F(HostSources, FiltersHoldForSlurmToo) {
  EXPECT_EQ(hosts({"--include", "n2"}, kSlurmJob), "n2");
  EXPECT_EQ(source.cluster.hosts[0].slots, 2) << "a host without numbers keeps all its slots";
  EXPECT_TRUE(source.slurm);
  EXPECT_EQ(hosts({"--exclude", "n2"}, kSlurmJob), "n1 n3");
  EXPECT_EQ(hosts({"--num_nodes", "1"}, kSlurmJob), "n1");
}

TEST_F(HostSources, AListOfNodesOfTheAllocationIsReachedBySrun) {
  const std::string file = folder.write("nodes", "n1 slots=3\nn2.cluster slots=1\n");
  EXPECT_EQ(hosts({"-H", "n3:4,n1"}, kSlurmJob), "n3 n1");
  EXPECT_TRUE(source.slurm);
  EXPECT_EQ(source.source, "-H");
  EXPECT_EQ(source.cluster.hosts[0].slots, 4) << "the list's slots, not the allocation's";
  EXPECT_EQ(hosts({"--hostfile", file}, kSlurmJob), "n1 n2.cluster");
  EXPECT_TRUE(source.slurm);
  EXPECT_EQ(source.cluster.hosts[0].node + "|" + source.cluster.hosts[1].node, "|n2");
  EXPECT_EQ(hosts({"-np", "1", "-H", "n1", "x", ":", "-np", "1", "-H", "n2"}, kSlurmJob), "n1 n2");
  EXPECT_TRUE(source.slurm);
  EXPECT_EQ(hosts({"-H", "n1,localhost"}, kSlurmJob), "n1 localhost") << "the shell of salloc may stand elsewhere";
  EXPECT_TRUE(source.slurm);
  source = hosts_from(parse_options({"true"}), kSlurmJob, {.name = "here"}, parse_rankfile("rank 0=N3 slot=0\n", "rf"));
  EXPECT_EQ(source.cluster.hosts[0].node, "n3");
  EXPECT_TRUE(source.slurm);
}

TEST_F(HostSources, AHeterogeneousJobIsToldThatOneComponentIsUsed) {
  Variables job = kSlurmJob;
  job["SLURM_HET_SIZE"] = "1";
  EXPECT_EQ(hosts({}, job), "n1 n2 n3");
  EXPECT_EQ(source.warnings, Words{});
  job["SLURM_HET_SIZE"] = "2";
  hosts({}, job);
  ASSERT_EQ(source.warnings.size(), 1u);
  EXPECT_TRUE(source.warnings[0].starts_with("SLURM job 7 has 2 components")) << source.warnings[0];
  EXPECT_NE(source.warnings[0].find("--het-group"), std::string::npos);
}

TEST_F(HostSources, AStepDoesNotBoundAList) {
  Variables step = kSlurmJob;
  step.insert({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NODELIST", "n1"}, {"SLURM_STEP_TASKS_PER_NODE", "1"},
               {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_NTASKS", "3"}, {"SLURM_PROCID", "1"}});
  EXPECT_EQ(hosts({"-H", "n2"}, step), "n2");
  EXPECT_TRUE(source.slurm);
}

TEST_F(HostSources, WhoAsksForSshGetsItInAnAllocationToo) {
  for (const Words& words : {Words{"-H", "n1,away", "--ssh", "ssh"}, {"-H", "n1,eve@away"},
                             {"--hostfile", folder.write("port", "n1\naway port=2222\n")}}) {
    EXPECT_EQ(hosts(words, kSlurmJob), "n1 away");
    EXPECT_FALSE(source.slurm) << join(words, " ");
    EXPECT_EQ(source.cluster.hosts[0].node, "");
  }
}

TEST_F(HostSources, HostsOutsideOfTheAllocationAreRefused) {
  const auto refused_there = [&](const Words& words) { return usage_error_of([&] { hosts(words, kSlurmJob); }); };
  expect_words(refused_there({"-H", "n1,192.0.2.1,n33"}), {"-H: 192.0.2.1, n33: not in the allocation of SLURM job 7 (n[1-3])", "--ssh ssh"});
  EXPECT_EQ(hosts({"--hostfile", folder.write("site", "n1\n192.0.2.1\n"), "--include", "n1"}, kSlurmJob), "n1") << "what is used counts";
  expect_words(refused_there({"-H", "n1,n1.cluster"}), {"n1 and n1.cluster are one machine"});
}

TEST_F(HostSources, NumGpusIsCheckedAgainstTheHostfile) {
  const std::string file = folder.write("gpus", "big slots=8\n");
  EXPECT_EQ(hosts({"--hostfile", file, "--num_gpus", "4"}, {}), "big");
  EXPECT_EQ(source.cluster.hosts[0].slots, 4);
  expect_words(refused({"--hostfile", file, "--num_gpus", "16"}), {"--num_gpus", "big", "16"});
}

TEST_F(HostSources, ANodeListThatIsNotUnderstoodEndsTheJob) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"c[1-2", "'c[1-2'"}, {"c[a-b]", "'c[a-b]'"}, {"c{1..2}", "'c{1..2}'"}, {",", "has no nodes"}};
  for (const auto& [list, cause] : bad) {
    Variables job = kSlurmJob;
    job["SLURM_JOB_NODELIST"] = list;
    expect_words(usage_error_of([&] { hosts({}, job); }), {"SLURM_JOB_NODELIST", cause});
  }
}

TEST_F(HostSources, AFileThatWasNamedMustBeThereAndHaveHosts) {
  for (const char* option : {"--hostfile", "--machinefile", "--default-hostfile"}) {
    expect_words(refused({option, folder.path + "/missing"}), {folder.path + "/missing", "No such file"});
    expect_words(refused({option, folder.write("empty", "\n")}), {folder.path + "/empty", "has no hosts"});
  }
}

std::string refused_job(const Words& words) {
  return usage_error_of([&] { prepare_job(parse_options(words)); });
}

TEST(OneMachine, HasOneNameInAJob) {
  const std::string own = this_host_name();
  if (own == "localhost") GTEST_SKIP() << "this machine has no other name";
  expect_words(refused_job({"-H", "localhost," + own, "true"}), {"-H: localhost and " + own, "name it once"});
  TemporaryFolder folder;
  const std::string file = folder.write("hosts", own + " slots=1\n" + kElsewhere + "\nlocalhost slots=1\n");
  expect_words(refused_job({"--hostfile", file, "-np", "1", "true"}), {file, own + " and localhost"});
}

TEST(OneMachine, IsKnownByEveryAddressOfItsOwn) {
  for (const LocalAddress& address : local_addresses()) {
    if (address.loopback || address.address.find(':') != std::string::npos) continue;
    expect_words(refused_job({"-H", "localhost," + address.address, "true"}), {"localhost and " + address.address});
  }
}

TEST(OneMachine, MayBeNamedMoreThanOnceInOneWay) {
  const Job job = prepare_job(parse_options({"-H", "localhost,localhost,127.0.0.1", "true"}));
  EXPECT_EQ(job.plan.world_size, 3);
  EXPECT_EQ(job.plan.hosts.size(), 1u);
}

class FiltersHere : public ::testing::Test {
 protected:
  void SetUp() override {
    if (this_host_name() == "localhost") GTEST_SKIP() << "this machine has no other name";
  }
  Cluster hosts(Words words, Host here = {.name = this_host_name(), .cores = {0, 1, 2, 3}}) {
    words.push_back("true");
    source = hosts_from(parse_options(words), {}, here, std::nullopt);
    return source.cluster;
  }
  std::string refused(const Words& words) {
    return usage_error_of([&] { hosts(words); });
  }
  TemporaryFolder folder;
  HostSource source;
};

TEST_F(FiltersHere, KnowThisMachineByAnyOfItsNames) {
  const std::string own = this_host_name();
  EXPECT_EQ(hosts({"--include", "localhost:0"}).hosts.at(0).slots, 1);
  std::string file = folder.write("own", own + " slots=2\nfar slots=2\n");
  EXPECT_EQ(names_of(hosts({"--hostfile", file, "--include", "127.0.0.1"})), own);
  file = folder.write("localhost", "localhost slots=2\nfar slots=2\n");
  EXPECT_EQ(names_of(hosts({"--hostfile", file, "--include", own + ":1"})), "localhost");
  EXPECT_EQ(names_of(hosts({"--hostfile", file, "--exclude", own})), "far");
  expect_words(refused({"--include", kElsewhere}), {kElsewhere, "not in the list of hosts: " + own});
}

TEST_F(FiltersHere, CountTheSlotsOfThisMachineByItsHardware) {
  EXPECT_EQ(hosts({"--exclude", "localhost:0"}).hosts.at(0).slot_ids, (std::vector<int>{1, 2, 3}));
  expect_words(refused({"--include", "localhost:4"}), {"has no slot 4", "0-3"});
  expect_words(refused({"--num_gpus", "5"}), {"--num_gpus: 5", this_host_name() + " has 4 slots"});
  EXPECT_EQ(hosts({"--num_gpus", "4"}).hosts.at(0).slots, 4);
  EXPECT_TRUE(source.on_trust.empty());
}

TEST_F(FiltersHere, NumGpusMeansDevicesAlsoWhereCoresAreFewer) {
  const Host here{.name = this_host_name(), .cores = {0, 1}, .gpus = {"0", "1", "2", "3"}};
  EXPECT_EQ(hosts({"--num_gpus", "4"}, here).hosts.at(0).slots, 4);
}

TEST_F(FiltersHere, SlotsOfOtherHostsAreCheckedOnceTheyHaveTold) {
  const std::string file = folder.write("far", "far\n");
  for (const Words& words : {Words{"--num_gpus", "3"}, Words{"--include", "far:0,2"}}) {
    const Words all = {"--hostfile", file, words[0], words[1]};
    hosts(all);
    const Options options = parse_options({all[0], all[1], all[2], all[3], "true"});
    EXPECT_NO_THROW(check_slots_on_trust(source, options)) << "it has told nothing";
    source.cluster.hosts[0].cores = {0, 1};
    const std::string problem = usage_error_of([&] { check_slots_on_trust(source, options); });
    expect_words(problem, {words[0], "host far has no slot 2", "it has 2"});
    source.cluster.hosts[0].cores = {0, 1, 2};
    EXPECT_NO_THROW(check_slots_on_trust(source, options));
  }
}

TEST(UnusedHosts, ARelativeHostOfARankfileStaysWhatItWas) {
  TemporaryFolder folder;
  const std::string file = folder.write("ranks", "rank 0=+n1 slot=0\n");
  const std::string hosts = std::string(kElsewhere) + ":1," + kElsewhereToo + ":1";
  Job job = prepare_job(parse_options({"-H", hosts, "--rankfile", file, "true"}));
  drop_unused_hosts(job);
  EXPECT_EQ(names_of({job.plan.hosts}), kElsewhereToo);
  ASSERT_EQ(job.plan.ranks.size(), 1u);
  EXPECT_EQ(job.plan.ranks[0].host, 0u);
  EXPECT_EQ(job.local.size(), 1u);
}

TEST(UnusedHosts, NolocalLeavesThisMachineOut) {
  Job job = prepare_job(parse_options({"--nolocal", "-H", std::string("localhost:2,") + kElsewhere + ":2", "true"}));
  EXPECT_EQ(job.plan.world_size, 2);
  drop_unused_hosts(job);
  EXPECT_EQ(names_of({job.plan.hosts}), kElsewhere);
}

}  // namespace
}  // namespace ds
