// Meshes in the plan: ranks near those they talk to, what is printed, and what the user said himself.
#include "launcher/plan/mesh_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agent/proto/control.pb.h"
#include "engine/config/settings.h"
#include "hostfiles/rankfile.h"
#include "launcher/options/options.h"
#include "launcher/control/start_message.h"
#include "tests/topology/expect_error.h"
#include "tests/topology/samples.h"

namespace ds {
namespace {

LaunchPlan plan_of(const std::string& line, const Cluster& cluster, const Rankfile* rankfile = nullptr) {
  const Options options = parse_options(split(line, ' '));
  const std::vector<bool> local(cluster.hosts.size());
  LaunchPlan plan = plan_launch(options, cluster, "test", local, rankfile);
  if (const auto mesh = mesh_of(options)) place_on_mesh(plan, options, cluster, local, *mesh, program_axis_bytes(options, *mesh));
  return plan;
}

std::vector<size_t> hosts_of_ranks(const LaunchPlan& plan) {
  std::vector<size_t> hosts;
  for (const RankPlace& place : plan.ranks) hosts.push_back(place.host);
  return hosts;
}

using Hosts = std::vector<size_t>;

TEST(MeshPlan, MovesRanksOfABusyAxisTogether) {
  const LaunchPlan plan = plan_of("--mesh dp=2,tp=4 true", sample_cluster("two_level.json", 2));
  EXPECT_EQ(plan.world_size, 8);
  EXPECT_EQ(hosts_of_ranks(plan), (Hosts{0, 1, 0, 1, 0, 1, 0, 1}));
  ASSERT_TRUE(plan.mesh);
  EXPECT_LT(plan.mesh->score.seconds, plan.mesh->by_slot.seconds);
  EXPECT_EQ(plan.slots_used, (std::vector<int>{4, 4}));
}

TEST(MeshPlan, WhatTheUserSaidStays) {
  const Cluster cluster = sample_cluster("two_level.json", 2);
  for (const char* option : {"--map-by slot", "--map-by node", "--rank-by slot", "-N 4"}) {
    const std::string words = std::string(option) + " -np 8 ";
    const LaunchPlan asked = plan_of(words + "--mesh dp=2,tp=4 true", cluster);
    EXPECT_EQ(hosts_of_ranks(asked), hosts_of_ranks(plan_of(words + "true", cluster))) << option;
    ASSERT_TRUE(asked.mesh);
    EXPECT_EQ(asked.mesh->how, std::string("as asked: ") + option);
  }
  const Rankfile file = parse_rankfile("rank 0=n02\nrank 1=n02\nrank 2=n01\nrank 3=n01\n", "rf");
  const LaunchPlan by_file = plan_of("--rankfile rf --mesh dp=2,tp=2 true", cluster, &file);
  EXPECT_EQ(hosts_of_ranks(by_file), (Hosts{1, 1, 0, 0}));
  EXPECT_EQ(by_file.mesh->how, "as asked: rankfile rf");
}

TEST(MeshPlan, OneAxisAndNoMeshAreAsAlways) {
  const Cluster cluster = sample_cluster("two_level.json", 2);
  const LaunchPlan without = plan_of("-np 8 true", cluster), with = plan_of("-np 8 --mesh dp=8 true", cluster);
  EXPECT_EQ(with.ranks, without.ranks);
  EXPECT_FALSE(with.mesh || without.mesh);
  EXPECT_TRUE(without.groups.empty());
  EXPECT_FALSE(nlohmann::json::parse(plan_json(with)).contains("placement"));
  EXPECT_EQ(plan_text(with).find("placement:"), std::string::npos);
}

TEST(MeshPlan, TellsWhatWasChosenAndWhy) {
  const LaunchPlan plan = plan_of("--mesh dp=2,tp=4 --mesh-bytes tp=8e9,dp=1e9 true", sample_cluster("two_level.json", 2));
  expect_words(plan_text(plan), {"placement: tensor < data over near places", "tensor reaches as far as link (by slot: rack)", "data reaches as far as switch (by slot: link)",
                                 "chosen because it is estimated to be faster: 0.0933 s a step, by slot 0.407 s", "GB a step", "  by slot"});
  const nlohmann::json json = nlohmann::json::parse(plan_json(plan));
  EXPECT_EQ(json["placement"]["score"]["bytes"], (nlohmann::json{{"link", 64e9}, {"switch", 8e9}}));
  EXPECT_EQ(json["placement"]["score"]["axes"]["data"]["bytes"], (nlohmann::json{{"switch", 8e9}}));
  EXPECT_GT(json["placement"]["by_slot"]["seconds"], json["placement"]["score"]["seconds"]);
  EXPECT_EQ(json["groups"]["tensor"], (nlohmann::json{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(json["ranks"][2]["host"], "n01");
}

TEST(MeshPlan, RefusesAMeshThatDoesNotFit) {
  const auto refused = [](const std::string& line) { return usage_error_of([&] { parse_options(split(line, ' ')); }); };
  expect_words(refused("--mesh tp=3 -np 4 true"), {"--mesh=tp=3", "4 ranks are no multiple of 3"});
  expect_words(refused("--mesh tp=2 --mesh-bytes dp=x true"), {"--mesh-bytes", "number of bytes"});
  expect_words(refused("--mesh tp=2 --mesh-bytes pp=3 true"), {"--mesh-bytes=pp=3", "must be of tp, dp"});
  expect_words(refused("--mesh-bytes dp=1 true"), {"--mesh-bytes", "together with --mesh"});
  expect_words(refused("--mesh tp=2 train.cfg"), {"--mesh", "[parallel]"});
  expect_words(refused("--bind-memory all true"), {"--bind-memory", "none, near"});
  expect_words(usage_error_of([] { plan_of("--mesh tp=64 true", sample_cluster("pcie_box.json")); }), {"not enough slots: asked 64, have 8"});
}

TEST(MeshPlan, LocalRanksFollowRanksAndGpusFollowSlots) {
  Cluster cluster = sample_cluster("pcie_box.json", 1);
  cluster.hosts[0].nvlinks = {{0, 0, 4, 0}, {0, 0, 0, 4}, {4, 0, 0, 0}, {0, 4, 0, 0}};
  const LaunchPlan plan = plan_of("--mesh tp=2,dp=2 true", cluster);
  ASSERT_EQ(plan.ranks[1].slot, 2) << "ranks 0 and 1 talk over NVLink of GPU 0 and GPU 2";
  for (const RankPlace& place : plan.ranks) {
    EXPECT_EQ(place.local_rank, place.rank) << "Open MPI relies on it";
    ASSERT_EQ(place.gpus.size(), 4u);
    EXPECT_EQ(place.gpus[static_cast<size_t>(place.local_rank)], std::to_string(place.slot)) << "GPU LOCAL_RANK is the one that was meant";
  }
  for (const RankPlace& place : plan_of("--mesh tp=2,dp=2 true", sample_cluster("pcie_box.json", 1)).ranks) EXPECT_TRUE(place.gpus.empty()) << "nothing to say";
}

TEST(MeshPlan, RanksGetHintsAboutTheirNic) {
  Cluster cluster = sample_cluster("dgx.json", 1);
  const Options options = parse_options({"train.cfg"});
  LaunchPlan plan = plan_launch(options, cluster, "test", {false}, nullptr);
  ASSERT_EQ(plan.ranks.size(), 8u);
  EXPECT_EQ(nlohmann::json::parse(plan_json(plan))["ranks"][3]["nics"], (nlohmann::json{"mlx5_3:1"}));
  expect_words(map_text(plan), {"gpus 3  nics mlx5_3:1"});
  StartRequest request;
  request.argv = {{"x"}};
  request.program_env = {{}};
  request.program_wdir = {""};
  request.memory = MemoryPolicy::kNear;
  control::Envelope message;
  ASSERT_TRUE(message.ParseFromString(StartMessages(plan, request).for_host(0)));
  const auto& hints = message.start().ranks(3).hints();
  EXPECT_EQ(std::vector<std::string>(hints.begin(), hints.end()),
            (std::vector<std::string>{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "UCX_NET_DEVICES=mlx5_3:1"}));
  EXPECT_EQ(message.start().memory_policy(), 1u);
}

TEST(MeshPlan, ATrainingJobCountsItsOwnModel) {
  Settings settings;
  settings.model_folder = (test::source_folder() / "tests/engine/golden/gpt2-mini").string();
  settings.data.sequence_length = 16;
  settings.batch.micro = 2;
  settings.batch.accumulation = 3;
  settings.parallel = {.tensor = 2, .data = 2};
  const AxisBytes bytes = training_axis_bytes(settings);
  // 8 (t-1)/t times the activation, 16 x 2 x 32 floats, in 2 layers of 3 micro-batches; 2 (n-1)/n of 12 l h^2 / t gradients.
  EXPECT_DOUBLE_EQ(bytes[static_cast<size_t>(Axis::kTensor)], 8 * 0.5 * (16 * 2 * 32 * 4) * 2 * 3);
  EXPECT_DOUBLE_EQ(bytes[static_cast<size_t>(Axis::kData)], 2 * 0.5 * (12 * 2 * 32 * 32 / 2) * 4);
}

}  // namespace
}  // namespace ds
