// Plans as values: who sits where, and how that is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/proto/control.pb.h"
#include "hostfiles/rankfile.h"
#include "launcher/reach/agent_starter.h"
#include "launcher/plan/device_check.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/plan/launch_plan.h"
#include "launcher/options/option_table.h"
#include "launcher/options/options.h"
#include "launcher/control/rank_table.h"
#include "launcher/control/start_message.h"
#include "tests/topology/expect_error.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

Cluster cluster_of(const std::vector<int>& slots) {
  Cluster cluster;
  for (size_t i = 0; i < slots.size(); ++i) {
    Host host;
    host.name = "h" + std::to_string(i);
    if (slots[i] >= 0) host.slots = slots[i];
    cluster.hosts.push_back(host);
  }
  return cluster;
}

LaunchPlan plan(const std::string& line, const Cluster& cluster) {
  return plan_launch(parse_options(split(line, ' ')), cluster, "test", std::vector<bool>(cluster.hosts.size()), nullptr);
}

TEST(Plan, RanksFillHostAfterHost) {
  LaunchPlan p = plan("true", cluster_of({2, 1}));
  ASSERT_TRUE(p.placed);
  EXPECT_EQ(p.world_size, 3);
  EXPECT_EQ(p.slots_used, (std::vector<int>{2, 1}));
  EXPECT_EQ(p.ranks[2].host, 1u);
  EXPECT_EQ(p.ranks[2].local_rank, 0);
}

TEST(Plan, MoreRanksThanSlotsNeedToBeAskedFor) {
  EXPECT_THROW(plan("-np 4 true", cluster_of({2, 1})), Error);
  LaunchPlan p = plan("-np 4 --oversubscribe true", cluster_of({2, 1}));
  EXPECT_EQ(p.world_size, 4);
  EXPECT_TRUE(p.oversubscribed(0) || p.oversubscribed(1));
}

TEST(Plan, RanksOfProgramsFollowEachOther) {
  LaunchPlan p = plan("-np 1 a : -np 2 b", cluster_of({3}));
  EXPECT_EQ(p.program_of, (std::vector<int>{0, 1, 1}));
}

// The plans that mpirun 4.1.4 shows for the same words.
TEST(Plan, RanksOfAProgramGoToItsOwnHosts) {
  const auto placed = [](const std::string& line) {
    const Options options = parse_options(split(line, ' '));
    const HostSource source = hosts_from(options, {}, {}, std::nullopt);
    const LaunchPlan p = plan_launch(options, source.cluster, "test", std::vector<bool>(source.cluster.hosts.size()), nullptr);
    std::vector<std::string> ranks;
    for (const RankPlace& rank : p.ranks) {
      const auto program = static_cast<size_t>(p.program_of[static_cast<size_t>(rank.rank)]);
      ranks.push_back(p.hosts[rank.host].name + "." + std::to_string(rank.local_rank) + options.programs[program].argv[0]);
    }
    return join(ranks, " ");
  };
  EXPECT_EQ(placed("-H n1 -np 1 a : -H n2,n3 -np 2 b"), "n1.0a n2.0b n3.0b");
  EXPECT_EQ(placed("-H n1:2 -np 1 a : -H n3:2,n2:2 -np 3 b"), "n1.0a n3.0b n3.1b n2.0b");
  EXPECT_EQ(placed("-H n2:2 -np 1 a : -H n3:2,n1:2 -np 3 b : -np 1 c"), "n2.0a n3.0b n3.1b n1.0b n2.1c");
  EXPECT_EQ(placed("-np 1 a : -H n1:2 -np 1 b"), "n1.0a n1.1b");
  EXPECT_EQ(placed("-N 1 -H n1:2 -np 1 a : -H n3:2,n2:2 -np 2 b"), "n1.0a n3.0b n2.0b");
  EXPECT_EQ(placed("-H n1:2,n2:2 -np 1 a : -H n2:2,n1:2 -np 1 b"), "n1.0a n1.1b");
  EXPECT_EQ(placed("--oversubscribe -H n1:1 -np 2 a : -H n1:1 -np 2 b : -H n2 -np 1 c"), "n1.0a n1.1a n1.2b n1.3b n2.0c");
  expect_words(usage_error_of([&] { placed("-H n1:2 -np 1 a : -H n2:2 -np 3 b"); }), {"program 2", "asked 3, have 2", "n2: 2"});
  expect_words(usage_error_of([&] { placed("-H n1:1 -np 1 a : -H n1:1 -np 1 b"); }), {"program 2", "asked 1, have 0"});
}

TEST(Plan, UnknownSlotsLeaveRanksOpen) {
  LaunchPlan p = plan("--dry-run --json true", cluster_of({-1, 2}));
  EXPECT_FALSE(p.placed);
  nlohmann::json json = nlohmann::json::parse(plan_json(p));
  EXPECT_TRUE(json["hosts"][0]["slots"].is_null());
  EXPECT_FALSE(json.contains("ranks"));
}

TEST(Plan, JsonLeavesOutWhatIsAbsent) {
  Cluster cluster = cluster_of({1, 1});
  cluster.hosts[1].port = 2222;
  cluster.hosts[1].user = "u";
  LaunchPlan p = plan("true", cluster);
  p.groups = groups_of(ProcessMesh(ParallelDims{.data = 2}));
  nlohmann::json json = nlohmann::json::parse(plan_json(p));
  EXPECT_EQ(json["hosts"][0], (nlohmann::json{{"name", "h0"}, {"slots", 1}}));
  EXPECT_EQ(json["hosts"][1]["port"], 2222);
  EXPECT_EQ(json["ranks"][1], (nlohmann::json{{"rank", 1}, {"host", "h1"}, {"local_rank", 0}}));
  EXPECT_EQ(json["groups"], (nlohmann::json{{"data", {{0, 1}}}}));
}

TEST(Plan, ARankfilePlacesTheFirstRanksThatAreAskedFor) {
  const Rankfile file = parse_rankfile("rank 0=h1\nrank 1=h0\nrank 2=elsewhere\n", "rf");
  const auto placed = [&](const std::string& np) {
    return plan_launch(parse_options({"-np", np, "true"}), cluster_of({1, 1}), "rankfile", {false, false}, &file);
  };
  EXPECT_EQ(placed("2").slots_used, (std::vector<int>{1, 1}));
  EXPECT_EQ(placed("1").world_size, 1);
  EXPECT_EQ(placed("1").ranks[0].host, 1u);
  EXPECT_EQ(placed("0").world_size, 0);
  expect_words(usage_error_of([&] { placed("3"); }), {"rf:3", "elsewhere"});
  expect_words(usage_error_of([&] { placed("4"); }), {"option -np=4", "0 to 3", "rankfile rf"});
}

// "slot | node | ppr:n:...: order" -> slot, node; what is not one plain word is left out.
std::vector<std::string> values_in_help(const std::string& help) {
  std::vector<std::string> values;
  for (const std::string& part : split(help, '|')) {
    const std::string word(trim(part.substr(0, part.find_first_of(":,"))));
    if (part.find('<') == std::string::npos && word.find(' ') == std::string::npos) values.push_back(word);
  }
  return values;
}

TEST(Plan, EveryValueThatHelpNamesIsAccepted) {
  Cluster cluster = cluster_of({4});
  cluster.hosts[0].cores = {0, 1, 2, 3};
  for (const char* name : {"map-by", "rank-by", "bind-to", "wireup", "progress"}) {
    const std::vector<std::string> values = values_in_help(find_option(name)->help);
    EXPECT_GE(values.size(), 2u) << name;
    for (const std::string& value : values)
      EXPECT_NO_THROW(plan("--" + std::string(name) + " " + value + " -np 2 true", cluster)) << name << "=" << value;
  }
}

TEST(Plan, CoresThatAreSharedByRequestMustSuffice) {
  Cluster cluster = cluster_of({4});
  cluster.hosts[0].cores = {0, 1};
  EXPECT_EQ(plan("--bind_cores_to_rank -np 2 true", cluster).ranks[1].cpus, std::vector<int>{1});
  expect_words(usage_error_of([&] { plan("--bind_cores_to_rank --bind_core_list 0 -np 2 true", cluster); }),
               {"--bind_cores_to_rank", "2 ranks, 1 cores in the list"});
}

TEST(Plan, NolocalLeavesThisMachineOut) {
  const Options options = parse_options({"--nolocal", "true"});
  const LaunchPlan p = plan_launch(options, cluster_of({2, 2}), "test", {true, false}, nullptr);
  EXPECT_EQ(p.slots_used, (std::vector<int>{0, 2}));
  EXPECT_THROW(plan_launch(options, cluster_of({2}), "test", {true}, nullptr), Error);
}

TEST(Plan, ARelativeHostOfARankfileIsNamedOnceAndStaysThatHost) {
  Rankfile file = parse_rankfile("rank 0=+n1 slot=0\n", "rf");
  Cluster cluster = cluster_of({1, 1});
  name_hosts(file, cluster);
  EXPECT_EQ(file.entries[0].host, "h1");
  cluster.hosts.erase(cluster.hosts.begin());
  EXPECT_EQ(plan_launch(parse_options({"true"}), cluster, "rankfile", {false}, &file).ranks[0].host, 0u);
}

TEST(Hosts, TheFirstSourceThatIsThereCounts) {
  Host here;
  here.name = "here";
  std::map<std::string, std::string> slurm = {{"SLURM_JOB_ID", "7"},
                                              {"SLURM_JOB_NODELIST", "n[1-2]"},
                                              {"SLURM_JOB_NUM_NODES", "2"},
                                              {"SLURM_TASKS_PER_NODE", "2(x2)"}};
  HostSource source = hosts_from(parse_options({"true"}), slurm, here, std::nullopt);
  EXPECT_TRUE(source.slurm);
  EXPECT_EQ(source.cluster.hosts.size(), 2u);
  source = hosts_from(parse_options({"-H", "n2:2", "true"}), slurm, here, std::nullopt);
  EXPECT_EQ(source.source, "-H");
  EXPECT_EQ(source.cluster.hosts.size(), 1u);
  EXPECT_EQ(source.cluster.hosts[0].slots, 2);
  source = hosts_from(parse_options({"true"}), {}, here, std::nullopt);
  EXPECT_EQ(source.cluster.hosts[0].name, "here");
}

// As the host named them, whichever of CUDA's three ways that is.
TEST(StartMessage, ARankGetsItsDeviceByTheNameItsHostGave) {
  for (const std::string name : {"3", "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6",
                                 "MIG-8932f937-d72c-4106-c12f-20bd9faed9f6"}) {
    LaunchPlan p = plan("-np 2 a", cluster_of({2}));
    p.ranks[1].gpus = {name};
    StartRequest request;
    request.argv = {{"a"}};
    request.program_env = {{}};
    request.program_wdir = {""};
    control::Envelope message;
    ASSERT_TRUE(message.ParseFromString(StartMessages(p, request).for_host(0)));
    EXPECT_EQ(message.start().ranks(0).env_size(), 0);
    ASSERT_EQ(message.start().ranks(1).env_size(), 1);
    EXPECT_EQ(message.start().ranks(1).env(0), "CUDA_VISIBLE_DEVICES=" + name);
  }
}

TEST(DeviceCheck, CudaOnHostsWithoutGpusIsRefusedNamingThem) {
  LaunchPlan p = plan("-np 3 a", cluster_of({1, 1, 1}));
  p.hosts[0].cores = p.hosts[1].cores = {0};  // h2 has not been asked yet
  p.ranks[1].gpus = {"0"};
  EXPECT_NO_THROW(check_device("auto", p));
  try {
    check_device("cuda", p);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_TRUE(std::string(error.what()).starts_with("train.device=cuda: no GPU on h0:")) << error.what();
  }
}

TEST(StartMessage, EachHostGetsItsOwnRanksAndAllHosts) {
  LaunchPlan p = plan("-np 1 a x : -np 2 b", cluster_of({1, 2}));
  StartRequest request;
  request.job = "j";
  request.argv = {{"a", "x"}, {"b"}};
  request.program_env = {{"V=1"}, {}};
  request.program_wdir = {"", "/w"};
  request.stdin_target = "all";
  auto message_for = [&](int host) {
    control::Envelope message;
    EXPECT_TRUE(message.ParseFromString(StartMessages(p, request).for_host(host)));
    return message.start();
  };
  control::StartGeneration start = message_for(1);
  ASSERT_EQ(start.ranks_size(), 2);
  EXPECT_EQ(start.ranks(0).rank(), 1u);
  EXPECT_EQ(start.ranks(0).argv(0), "b");
  EXPECT_TRUE(start.ranks(0).wdir_given());
  EXPECT_EQ(start.hosts_size(), 2);
  EXPECT_EQ(start.hosts(1).first_rank(), 1u);
  EXPECT_EQ(start.hosts(1).num_ranks(), 2u);
  EXPECT_EQ(start.stdin_rank(), -2);
  EXPECT_EQ(start.first_ranks_of_apps_size(), 2);
  EXPECT_EQ(message_for(0).ranks(0).env(0), "V=1");
}

TEST(RankTable, KnowsWhoIsMissing) {
  RankTable table(plan("true", cluster_of({2, 1})));
  EXPECT_FALSE(table.all_started());
  table.host_started(0);
  EXPECT_EQ(table.unstarted_hosts(), std::vector<int>{1});
  EXPECT_TRUE(table.rank_ended(0));
  EXPECT_FALSE(table.rank_ended(0)) << "an end counts once";
  table.host_ended(1);
  EXPECT_EQ(table.alive_ranks(), std::vector<int>{1});
  table.host_ended(0);
  EXPECT_TRUE(table.all_exited() && table.all_ended() && table.all_started());
}

TEST(RankTable, RangesAreShort) { EXPECT_EQ(ranges_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8"); }

TEST(Starters, SshGetsPortUserAndAQuotedPath) {
  Host host;
  host.name = "h";
  host.port = 2222;
  host.user = "u";
  AgentCommand command = ssh_starter("ssh -F my", "/opt/it's/dsagent")->commands({host}, {0})[0];
  std::string line = join(command.command.argv, " ");
  EXPECT_TRUE(line.starts_with("ssh -F my -T -x -o BatchMode=yes ")) << line;
  EXPECT_NE(line.find("-p 2222 -l u h exec '/opt/it'\\''s/dsagent'"), std::string::npos) << line;
}

TEST(Starters, SrunStartsOneAgentPerNodeInOneStep) {
  Cluster cluster = cluster_of({2, 2, 2});
  std::vector<AgentCommand> commands = srun_starter("/b/dsagent")->commands(cluster.hosts, {1, 2});
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_TRUE(commands[0].finds_own_host);
  std::string line = join(commands[0].command.argv, " ");
  for (const char* word : {"--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--nodelist=h1,h2", "--mpi=none", "--overlap",
                           "--cpu-bind=none", "--export=ALL", "--no-kill", "--kill-on-bad-exit=0", "--wait=0"})
    EXPECT_NE((line + " ").find(std::string(" ") + word + " "), std::string::npos) << word << " in " << line;
  EXPECT_TRUE(line.starts_with("srun ") && line.ends_with(" /b/dsagent")) << line;
}

TEST(Starters, SrunIsToldSlurmsNamesOfHosts) {
  Cluster cluster = cluster_of({2, 2});
  cluster.hosts[1].node = "n2";
  const auto starter = srun_starter("/b/dsagent");
  for (const HelperCommand& command : {starter->commands(cluster.hosts, {0, 1})[0].command, starter->sweep(cluster.hosts, 1, "j")})
    EXPECT_NE(join(command.argv, " ").find("n2 --mpi"), std::string::npos) << join(command.argv, " ");
}

TEST(Starters, NodesWithDifferentNumbersOfGpusHaveStepsOfTheirOwn) {
  const auto starter = srun_starter("/b/dsagent", {{"h0", 3}, {"h1", 1}, {"h2", 3}, {"h3", 0}});
  const Cluster cluster = cluster_of({2, 2, 2, 2, 2});
  std::string steps;
  for (const AgentCommand& step : starter->commands(cluster.hosts, {0, 1, 2, 3, 4}))
    for (const std::string& word : step.command.argv)
      if (word.starts_with("--nodelist") || word.starts_with("--g")) steps += word + " ";
  EXPECT_EQ(steps, "--nodelist=h4 --nodelist=h1 --gpus-per-node=1 --nodelist=h0,h2 --gpus-per-node=3 --nodelist=h3 --gres=none ");
  const std::string sweep = join(starter->sweep(cluster.hosts, 1, "j").argv, " ");
  EXPECT_NE(sweep.find("--gpus-per-node=1"), std::string::npos) << sweep;
}

TEST(Starters, WhatTheUserAskedOfHisTasksDoesNotShapeTheStepOfTheAgents) {
  const std::vector<std::string> unset = srun_starter("/b/dsagent")->commands(cluster_of({2}).hosts, {0})[0].command.unset;
  for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE",
                           "SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_GPU",
                           "SLURM_TRES_PER_TASK", "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "SLURM_GPUS_PER_TASK",
                           "SLURM_DISTRIBUTION", "SLURM_CPU_BIND", "SLURM_EXCLUSIVE", "SLURM_GPUS", "SLURM_GPUS_PER_SOCKET",
                           "SLURM_CPUS_PER_GPU", "SLURM_GPU_BIND", "SLURM_THREADS_PER_CORE"})
    EXPECT_EQ(std::count(unset.begin(), unset.end(), name), 1) << name;
}

TEST(PlanText, TellsWhichWorldsAnElasticJobMayHave) {
  LaunchPlan p;
  p.placed = true;
  p.elastic = ElasticReport{{{6, 2, 1}, {4, 1, 3}, {1, 2, 6}}, 10};
  EXPECT_NE(plan_text(p).find("elastic: up to 10 restarts an hour; ranks: 6 (micro-batch 2 x accumulation 1), 4 (micro-batch 1 x accumulation 3), "
                              "1 (micro-batch 2 x accumulation 6)\n"), std::string::npos) << plan_text(p);
  const nlohmann::json json = nlohmann::json::parse(plan_json(p));
  EXPECT_EQ(json["elastic"]["worlds"][1], (nlohmann::json{{"ranks", 4}, {"micro_batch", 1}, {"accumulation", 3}}));
  p.elastic = ElasticReport{{{2, 0, 0}}, 3};
  EXPECT_NE(plan_text(p).find("elastic: up to 3 restarts an hour; ranks: 2\n"), std::string::npos) << plan_text(p);
}

}  // namespace
}  // namespace ds
