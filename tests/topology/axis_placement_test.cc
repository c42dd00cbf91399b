#include "topology/axis_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/topology/samples.h"

namespace ds {
namespace {

const PlacementOptions kTraining{.binding = {.bind_to = BindTo::kShare}, .gpu_per_rank = true};

AxisBytes bytes_of(const std::string& text) { return parse_axis_bytes(text, {}); }

AxisPlacement place(const Cluster& cluster, const std::string& mesh_text, const std::string& bytes) {
  const ProcessMesh mesh = parse_mesh(mesh_text, std::nullopt);
  PlacementOptions options = kTraining;
  options.num_ranks = mesh.world_size();
  return place_axes(cluster, options, mesh, bytes_of(bytes));
}

double bytes_over(const PlacementScore& score, Axis axis, Distance distance) {
  for (const AxisScore& one : score.axes)
    if (one.axis == axis) return one.bytes[index_of(distance)];
  return 0;
}

// "0:0 1:4": host and slot of each rank.
std::string text_of(const std::vector<RankPlace>& places) {
  std::string text;
  for (const RankPlace& place : places) text += (text.empty() ? "" : " ") + std::to_string(place.host) + ":" + std::to_string(place.slot);
  return text;
}

TEST(AxisPlacement, StaysBySlotWhereThatIsBestAlready) {
  const AxisPlacement chosen = place(sample_cluster("dgx.json", 2), "tp=8,dp=2", "tp=8e9,dp=1e9");
  EXPECT_FALSE(chosen.moved);
  EXPECT_EQ(chosen.how, "by slot");
  // Tensor: 8e9 bytes over 18 NVLinks of 25 GB/s. Data: 1e9 over the NIC of 50 GB/s that each GPU has for itself.
  EXPECT_NEAR(chosen.score.seconds, 8.0 / 450 + 1.0 / 50, 1e-9);
  EXPECT_EQ(bytes_over(chosen.score, Axis::kTensor, Distance::kLink), 16 * 8e9);
  EXPECT_EQ(bytes_over(chosen.score, Axis::kData, Distance::kSwitch), 16 * 1e9);
}

TEST(AxisPlacement, KeepsTensorGroupsInsideAHostWhateverTheOrderOfRanks) {
  const AxisPlacement chosen = place(sample_cluster("dgx.json", 2), "dp=2,tp=8", "tp=8e9,dp=1e9");
  EXPECT_TRUE(chosen.moved);
  // By slot each tensor ring goes over to the other host from GPU 6 to GPU 0, which are on different rails: 0.75 of 50 GB/s.
  EXPECT_NEAR(chosen.by_slot.seconds, 8.0 / 37.5 + 1.0 / 450, 1e-9);
  EXPECT_NEAR(chosen.score.seconds, 8.0 / 450 + 1.0 / 50, 1e-9);
  EXPECT_EQ(bytes_over(chosen.by_slot, Axis::kTensor, Distance::kRack), 4 * 8e9);
  EXPECT_EQ(bytes_over(chosen.score, Axis::kTensor, Distance::kLink), 16 * 8e9);
  EXPECT_EQ(text_of(chosen.places).substr(0, 15), "0:0 1:0 0:1 1:1");
}

TEST(AxisPlacement, PutsTensorPairsOnOnePcieSwitch) {
  const AxisPlacement chosen = place(sample_cluster("pcie_box.json"), "dp=4,tp=2", "tp=1e9,dp=1e8");
  EXPECT_TRUE(chosen.moved);
  // By slot four tensor pairs share the one NIC of 12.5 GB/s; the data rings pass between the sockets.
  EXPECT_NEAR(chosen.by_slot.seconds, 4 * 1.0 / 12.5 + 0.1 / 15, 1e-9);
  // Pairs behind a switch of 25 GB/s; two data rings share the NIC.
  EXPECT_NEAR(chosen.score.seconds, 1.0 / 25 + 2 * 0.1 / 12.5, 1e-9);
}

TEST(AxisPlacement, DataGroupsFollowTheRails) {
  const AxisPlacement chosen = place(sample_cluster("two_level.json", 2), "dp=2,tp=4", "tp=8e9,dp=1e9");
  EXPECT_TRUE(chosen.moved);
  const DistanceBytes bytes = chosen.score.bytes();
  EXPECT_EQ(bytes[index_of(Distance::kSwitch)], 8 * 1e9);
  EXPECT_EQ(bytes[index_of(Distance::kRack)] + bytes[index_of(Distance::kFabric)], 0);
}

TEST(AxisPlacement, KeepsAGroupOfTwoHostsInOneRack) {
  Cluster cluster = sample_cluster("two_level.json", 6);
  std::swap(cluster.hosts[1], cluster.hosts[4]);  // west east west west west ...
  cluster.hosts.resize(2);
  cluster.hosts.push_back(sample_cluster("two_level.json").hosts[2]);
  cluster.hosts.push_back(sample_cluster("two_level.json").hosts[5]);  // west east west east
  const AxisPlacement chosen = place(cluster, "tp=8,dp=2", "tp=8e9,dp=1e9");
  EXPECT_TRUE(chosen.moved);
  EXPECT_NEAR(chosen.by_slot.seconds, 8.0 / 6 + 1.0 / 25, 1e-9);
  EXPECT_NEAR(chosen.score.seconds, 8.0 / 20 + 1.0 / 6, 1e-9);
  EXPECT_EQ(bytes_over(chosen.score, Axis::kTensor, Distance::kFabric), 0);
}

TEST(AxisPlacement, LeavesSlotsEmptyRatherThanCuttingAGroup) {
  Cluster cluster = sample_cluster("pcie_box.json");
  for (Host& host : cluster.hosts) host.slots = 3;
  const AxisPlacement chosen = place(cluster, "tp=2,dp=2", "tp=1e9,dp=1e8");
  EXPECT_EQ(text_of(chosen.places), "0:0 0:1 1:0 1:1");
  EXPECT_NEAR(chosen.by_slot.seconds, 1.0 / 12.5 + 0.1 / 12.5, 1e-9);
  EXPECT_NEAR(chosen.score.seconds, 1.0 / 25 + 2 * 0.1 / 12.5, 1e-9);
}

TEST(AxisPlacement, FindsThePairsThatNvlinkJoins) {
  Cluster cluster = sample_cluster("pcie_box.json", 1);
  cluster.hosts[0].nvlinks = {{0, 0, 4, 0}, {0, 0, 0, 4}, {4, 0, 0, 0}, {0, 4, 0, 0}};
  const AxisPlacement chosen = place(cluster, "tp=2,dp=2", "tp=1e9,dp=1e6");
  EXPECT_NEAR(chosen.score.axes[0].seconds, 1.0 / 100, 1e-9);
  EXPECT_NEAR(chosen.by_slot.axes[0].seconds, 1.0 / 25, 1e-9);
}

TEST(AxisPlacement, AOneAxisMeshStaysBySlot) {
  const Cluster cluster = sample_cluster("two_level.json");
  const AxisPlacement chosen = place(cluster, "dp=32", "dp=1e9");
  EXPECT_FALSE(chosen.moved);
  PlacementOptions options = kTraining;
  options.num_ranks = 32;
  EXPECT_EQ(chosen.places, place_ranks(cluster, options));
}

Cluster random_cluster(std::mt19937& random) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  Cluster cluster;
  const int hosts = pick(1, 6), racks = pick(1, 3);
  for (int h = 0; h < hosts; ++h) {
    Host host{.name = "h" + std::to_string(h)};
    const int nodes = pick(1, 2), cores = nodes * pick(1, 6);
    for (int core = 0; core < cores; ++core) {
      host.cores.push_back(core);
      host.numa_of_core.push_back(core * nodes / cores);
      host.socket_of_core.push_back(core * nodes / cores);
    }
    host.slots = pick(1, 8);
    if (pick(0, 1)) {
      const int gpus = *host.slots + pick(0, 2);
      for (int gpu = 0; gpu < gpus; ++gpu) {
        host.gpus.push_back(std::to_string(gpu));
        host.numa_of_gpu.push_back(pick(-1, nodes - 1));
        host.switch_of_gpu.push_back(pick(-1, 2));
      }
      if (pick(0, 1)) {
        host.nvlinks.assign(host.gpus.size(), std::vector<int>(host.gpus.size()));
        for (size_t a = 0; a < host.gpus.size(); ++a)
          for (size_t b = 0; b < a; ++b) host.nvlinks[a][b] = host.nvlinks[b][a] = pick(0, 2) * 3;
      }
    }
    for (int nic = pick(0, 3); nic > 0; --nic)
      host.nics.push_back({.name = "mlx5_" + std::to_string(nic), .numa = pick(0, nodes - 1), .pci_switch = pick(0, 2), .rail = pick(0, 2), .gbits = 50.0 * pick(0, 8)});
    host.rack = "r" + std::to_string(pick(1, racks));
    cluster.hosts.push_back(host);
  }
  return cluster;
}

ProcessMesh random_mesh(std::mt19937& random, int most) {
  ParallelDims dims;
  for (int* size : {&dims.tensor, &dims.pipeline, &dims.data, &dims.sequence, &dims.expert, &dims.context}) {
    const int wanted = std::uniform_int_distribution(1, 4)(random);
    if (dims.world_size() * wanted <= most) *size = wanted;
  }
  std::vector<Axis> order = ProcessMesh::default_order();
  std::shuffle(order.begin(), order.end(), random);
  return ProcessMesh(dims, order);
}

void expect_whole(const Cluster& cluster, const std::vector<RankPlace>& places) {
  std::set<std::pair<size_t, int>> slots;
  std::vector<int> counts(cluster.hosts.size());
  for (size_t rank = 0; rank < places.size(); ++rank) {
    EXPECT_EQ(places[rank].rank, static_cast<int>(rank));
    EXPECT_LT(places[rank].slot, *cluster.hosts[places[rank].host].slots);
    EXPECT_TRUE(slots.insert({places[rank].host, places[rank].slot}).second) << "a slot is used twice";
    EXPECT_EQ(places[rank].local_rank, counts[places[rank].host]++) << "local ranks ascend with ranks";
  }
}

TEST(AxisPlacement, IsNeverWorseThanBySlotOnRandomTopologies) {
  std::mt19937 random(20240607);
  int moved = 0, several_axes = 0;
  for (int i = 0; i < 200; ++i) {
    const Cluster cluster = random_cluster(random);
    int slots = 0;
    for (const Host& host : cluster.hosts) slots += *host.slots;
    const ProcessMesh mesh = random_mesh(random, slots);
    const AxisBytes bytes = axis_bytes(mesh.dims(), {});
    PlacementOptions options{.num_ranks = mesh.world_size()};
    options.gpu_per_rank = i % 2 == 0;
    const AxisPlacement chosen = place_axes(cluster, options, mesh, bytes);
    expect_whole(cluster, chosen.places);
    EXPECT_LE(chosen.score.seconds, chosen.by_slot.seconds * (1 + 1e-12)) << i;
    EXPECT_NEAR(score_places(cluster, chosen.places, mesh, bytes).seconds, chosen.score.seconds, 1e-9 * chosen.score.seconds) << i;
    EXPECT_NEAR(score_places(cluster, place_ranks(cluster, options), mesh, bytes).seconds, chosen.by_slot.seconds, 1e-9 * chosen.by_slot.seconds) << i;
    if (i % 20 == 0) {
      EXPECT_EQ(place_axes(cluster, options, mesh, bytes).places, chosen.places) << "the same twice";
    }
    several_axes += num_wide_axes(mesh) > 1;
    moved += chosen.moved;
  }
  EXPECT_GE(several_axes, 120);
  EXPECT_GE(moved, several_axes / 3) << "a search that never finds anything is none";
}

// All assignments of up to six ranks, one after the other.
TEST(AxisPlacement, FindsTheBestOfAllAssignmentsOfFewRanks) {
  std::mt19937 random(99);
  int compared = 0, best_found = 0;
  for (int i = 0; i < 60; ++i) {
    const Cluster cluster = random_cluster(random);
    int slots = 0;
    for (const Host& host : cluster.hosts) slots += *host.slots;
    const ProcessMesh mesh = random_mesh(random, std::min(slots, 6));
    if (num_wide_axes(mesh) < 2) continue;
    const AxisBytes bytes = axis_bytes(mesh.dims(), {});
    const PlacementOptions options{.num_ranks = mesh.world_size()};
    std::vector<RankPlace> places = place_ranks(cluster, options);
    std::vector<size_t> order(places.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    double least = score_places(cluster, places, mesh, bytes).seconds;
    do {
      std::vector<RankPlace> assigned;
      for (const size_t place : order) assigned.push_back(places[place]);
      least = std::min(least, score_places(cluster, assigned, mesh, bytes).seconds);
    } while (std::next_permutation(order.begin(), order.end()));
    ++compared;
    best_found += place_axes(cluster, options, mesh, bytes).score.seconds <= least * 1.0011;
  }
  EXPECT_GE(compared, 20);
  EXPECT_GE(best_found * 10, compared * 9) << best_found << " of " << compared;
}

}  // namespace
}  // namespace ds
