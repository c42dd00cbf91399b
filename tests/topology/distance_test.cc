#include "topology/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/topology/samples.h"
#include "topology/gpu_binding.h"
#include "topology/gpu_links.h"
#include "topology/nic_affinity.h"

namespace ds {
namespace {

using Texts = std::vector<std::string>;

Location at_gpu(const Cluster& cluster, size_t host, int gpu) {
  return Locator(cluster).locate({.host = host, .slot = gpu, .gpus = {cluster.hosts[host].gpus[static_cast<size_t>(gpu)]}});
}

Location at_cpus(const Cluster& cluster, size_t host, std::vector<int> cpus) { return Locator(cluster).locate({.host = host, .cpus = std::move(cpus)}); }

TEST(Distance, OfGpusFollowsLinksSwitchesAndNodes) {
  const Cluster box = sample_cluster("pcie_box.json");
  EXPECT_EQ(distance_between(box, at_gpu(box, 0, 0), at_gpu(box, 0, 0)), Distance::kDevice);
  EXPECT_EQ(distance_between(box, at_gpu(box, 0, 0), at_gpu(box, 0, 1)), Distance::kLink);
  EXPECT_EQ(distance_between(box, at_gpu(box, 0, 1), at_gpu(box, 0, 2)), Distance::kHost);
  EXPECT_EQ(distance_between(box, at_gpu(box, 0, 0), at_gpu(box, 1, 0)), Distance::kSwitch);
  EXPECT_EQ(bandwidth_between(box, at_gpu(box, 0, 0), at_gpu(box, 0, 1)), 25);
  EXPECT_EQ(bandwidth_between(box, at_gpu(box, 0, 0), at_gpu(box, 1, 0)), 12.5);
  const Cluster dgx = sample_cluster("dgx.json");
  EXPECT_EQ(bandwidth_between(dgx, at_gpu(dgx, 0, 0), at_gpu(dgx, 0, 7)), 450);
  EXPECT_EQ(bandwidth_between(dgx, at_gpu(dgx, 0, 3), at_gpu(dgx, 1, 3)), 50) << "one rail";
  EXPECT_EQ(bandwidth_between(dgx, at_gpu(dgx, 0, 3), at_gpu(dgx, 1, 4)), 37.5) << "two rails";
}

TEST(Distance, OfCoresFollowsCachesNodesAndSockets) {
  const Cluster cluster = parse_topology(R"({"hosts": [{"name": "a", "cores": 8, "numa": 4, "sockets": 2, "caches": [{"level": 2, "of_core": [0,0,1,2,3,4,5,6]}]}, {"name": "b", "cores": 2}, {"name": "c"}]})", "t");
  const auto between = [&](const Location& a, const Location& b) { return distance_between(cluster, a, b); };
  EXPECT_EQ(between(at_cpus(cluster, 0, {0}), at_cpus(cluster, 0, {0})), Distance::kDevice);
  EXPECT_EQ(between(at_cpus(cluster, 0, {0}), at_cpus(cluster, 0, {1})), Distance::kLink);
  EXPECT_EQ(between(at_cpus(cluster, 0, {2}), at_cpus(cluster, 0, {3})), Distance::kNuma);
  EXPECT_EQ(between(at_cpus(cluster, 0, {1}), at_cpus(cluster, 0, {2})), Distance::kSocket);
  EXPECT_EQ(between(at_cpus(cluster, 0, {3}), at_cpus(cluster, 0, {4})), Distance::kHost);
  EXPECT_EQ(between(at_cpus(cluster, 0, {2, 3}), at_cpus(cluster, 0, {2, 3})), Distance::kNuma) << "not on one core";
  EXPECT_EQ(between(at_cpus(cluster, 0, {}), at_cpus(cluster, 0, {})), Distance::kHost) << "anywhere on the host";
  EXPECT_EQ(between(at_cpus(cluster, 1, {0}), at_cpus(cluster, 1, {1})), Distance::kNuma) << "a host that tells no nodes has one";
  EXPECT_EQ(between(at_cpus(cluster, 1, {}), at_cpus(cluster, 2, {})), Distance::kSwitch);
}

TEST(Distance, OfHostsFollowsRacksSwitchesAndRails) {
  const Cluster cluster = sample_cluster("two_level.json");
  EXPECT_EQ(distance_between(cluster, at_gpu(cluster, 0, 1), at_gpu(cluster, 3, 1)), Distance::kSwitch);
  EXPECT_EQ(distance_between(cluster, at_gpu(cluster, 0, 1), at_gpu(cluster, 3, 2)), Distance::kRack);
  EXPECT_EQ(distance_between(cluster, at_gpu(cluster, 0, 1), at_gpu(cluster, 4, 1)), Distance::kFabric);
  EXPECT_EQ(bandwidth_between(cluster, at_gpu(cluster, 0, 1), at_gpu(cluster, 4, 1)), 6) << "what the file says";
  Cluster pods = cluster;  // one switch for a rail of all racks
  for (Host& host : pods.hosts) host.leaf = "spine";
  EXPECT_EQ(distance_between(pods, at_gpu(pods, 0, 1), at_gpu(pods, 4, 1)), Distance::kSwitch);
}

TEST(NicAffinity, TakesTheSwitchThenTheNodeThenAll) {
  const Host host = sample_cluster("dgx.json").hosts[0];
  EXPECT_EQ(nearest_nics(host, 5, 1), (std::vector<size_t>{5}));
  EXPECT_EQ(nearest_nics(host, -1, 1), (std::vector<size_t>{4, 5, 6, 7}));
  EXPECT_EQ(nearest_nics(host, -1, -1).size(), 8u);
  EXPECT_EQ(nic_hints(host, {.slot = 5, .gpus = {"5"}}), Texts{"UCX_NET_DEVICES=mlx5_5:1"});
}

// NCCL's ranks must agree on their devices: each with its own would find other rings.
TEST(NicAffinity, GivesAllRanksOfNcclTheSameDevices) {
  std::vector<Host> hosts = {sample_cluster("dgx.json").hosts[0], sample_cluster("dgx.json").hosts[0]};
  const std::vector<RankPlace> places = {{.host = 0, .slot = 5, .gpus = {"5"}}, {.host = 1, .slot = 0, .gpus = {"0"}}};
  EXPECT_EQ(nccl_hints(hosts, places), Texts{"NCCL_IB_HCA==mlx5_0:1,mlx5_5:1"});
  std::vector<RankPlace> all;
  for (int gpu = 0; gpu < 8; ++gpu) all.push_back({.host = 0, .slot = gpu, .gpus = {std::to_string(gpu)}});
  EXPECT_EQ(nccl_hints(hosts, all), Texts{}) << "all devices are somebody's";
  EXPECT_EQ(nccl_hints(hosts, {places[0], {.host = 1}}), Texts{}) << "a rank may use any";
  hosts[1].nics[5].name = "mlx5_9";
  EXPECT_EQ(nccl_hints(hosts, places), Texts{}) << "a host has no mlx5_5";
}

TEST(NicAffinity, SaysNothingWithoutAChoice) {
  EXPECT_EQ(nic_hints(sample_cluster("pcie_box.json").hosts[0], {.gpus = {"0"}}), Texts{}) << "one device";
  Host host = sample_cluster("dgx.json").hosts[0];
  EXPECT_EQ(nic_hints(host, {}), Texts{}) << "nobody knows which GPU the program takes";
  for (Nic& nic : host.nics) nic.rdma = false;
  EXPECT_EQ(nic_hints(host, {.gpus = {"5"}}), Texts{}) << "Ethernet";
  Host plain{.name = "p", .cores = {0, 1}, .numa_of_core = {0, 1}, .nics = {{.name = "mlx5_0", .numa = 0}, {.name = "mlx5_1", .numa = 1}, {.name = "eth0", .rdma = false, .numa = 1}}};
  EXPECT_EQ(nic_hints(plain, {.cpus = {1}})[0], "UCX_NET_DEVICES=mlx5_1:1");
  EXPECT_EQ(nic_hints(plain, {.cpus = {0, 1}}), Texts{}) << "bound to both nodes";
  EXPECT_EQ(nic_hints(plain, {}), Texts{}) << "not bound";
}

TEST(GpuBinding, CoresAreNearTheGpuOfTheRank) {
  Cluster cluster = sample_cluster("pcie_box.json", 1);
  std::reverse(cluster.hosts[0].numa_of_gpu.begin(), cluster.hosts[0].numa_of_gpu.end());
  const auto places = place_ranks(cluster, {.binding = {.bind_to = BindTo::kShare}, .gpu_per_rank = true});
  for (const RankPlace& place : places) EXPECT_EQ(place.cpus[0] / 16, cluster.hosts[0].numa_of_gpu[static_cast<size_t>(place.slot)]) << place.rank;
  std::set<int> cpus;
  for (const RankPlace& place : places) cpus.insert(place.cpus.begin(), place.cpus.end());
  EXPECT_EQ(cpus.size(), 32u);
}

TEST(GpuLinks, CountDirectLinksAndSwitches) {
  const Texts gpus{"00000000:1B:00.0", "00000000:1C:00.0", ""};
  EXPECT_TRUE(link_counts(gpus, {{}, {}, {}}).empty());
  EXPECT_EQ(link_counts(gpus, {{"0000:1c:00.0", "0000:1c:00.0"}, {"0000:1b:00.0", "0000:1b:00.0"}, {}}), (std::vector<std::vector<int>>{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}}));
  const Texts switches(6, "0000:89:00.0");
  EXPECT_EQ(link_counts(gpus, {switches, {"0000:89:00.0"}, {}}), (std::vector<std::vector<int>>{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(links_of_devices({{0, 2}, {2, 0}}, {1, -1, 0}), (std::vector<std::vector<int>>{{0, 0, 2}, {0, 0, 0}, {2, 0, 0}}));
}

}  // namespace
}  // namespace ds
