#include "topology/placement.h"

#include <gtest/gtest.h>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

Cluster cluster(const std::vector<std::pair<std::string, int>>& hosts) {
  Cluster cluster;
  for (const auto& [name, slots] : hosts) cluster.hosts.push_back({.name = name, .slots = slots});
  return cluster;
}

const Cluster kSix = cluster({{"h1", 3}, {"h2", 3}});

// "0a0 1a1 2b0": rank, host, local rank
std::string plan(const Cluster& cluster, const PlacementOptions& options) {
  std::string text;
  for (const RankPlace& place : place_ranks(cluster, options))
    text += (text.empty() ? "" : " ") + std::to_string(place.rank) + cluster.hosts[place.host].name + std::to_string(place.local_rank);
  return text;
}

std::string refused(const Cluster& cluster, const PlacementOptions& options) {
  return usage_error_of([&] { place_ranks(cluster, options); });
}

const Cluster kAb = cluster({{"a", 2}, {"b", 3}});

TEST(Placement, FillsHostBySlot) {
  EXPECT_EQ(plan(kAb, {}), "0a0 1a1 2b0 3b1 4b2");
  EXPECT_EQ(plan(kAb, {.num_ranks = 3}), "0a0 1a1 2b0");
}

TEST(Placement, GoesRoundByNode) {
  EXPECT_EQ(plan(kAb, {.map_by = MapBy::kNode}), "0a0 1b0 2a1 3b1 4b2");
  EXPECT_EQ(plan(kAb, {.num_ranks = 2, .map_by = MapBy::kNode}), "0a0 1b0");
  EXPECT_EQ(plan(kAb, {.num_ranks = 4, .map_by = MapBy::kNode, .rank_by = RankBy::kSlot}), "0a0 1a1 2b0 3b1");
  EXPECT_EQ(plan(kAb, {.num_ranks = 4, .rank_by = RankBy::kNode}), "0a0 1b0 2a1 3b1");
}

TEST(Placement, PutsAFixedNumberOnEachNode) {
  EXPECT_EQ(plan(kAb, {.per_node = 1}), "0a0 1b0");
  EXPECT_EQ(plan(kAb, {.num_ranks = 3, .per_node = 2}), "0a0 1a1 2b0");
  expect_words(refused(kAb, {.per_node = 3}), {"3 ranks per host", "host a has 2 slots"});
  expect_words(refused(kAb, {.num_ranks = 5, .per_node = 2}), {"5 ranks", "2 per host make 4"});
  EXPECT_EQ(plan(kAb, {.per_node = 3, .oversubscribe = true}), "0a0 1a1 2a2 3b0 4b1 5b2");
}

TEST(Placement, TheNumberOfRanksIsAlsoABoundForAFixedNumberOnEachNode) {
  EXPECT_EQ(plan(kAb, {.num_ranks = 2, .per_node = 3}), "0a0 1a1");
  EXPECT_EQ(plan(kAb, {.num_ranks = 1, .per_node = 4}), "0a0");
  expect_words(refused(kAb, {.num_ranks = 3, .per_node = 4}), {"3 ranks per host", "host a has 2 slots"});
}

TEST(Placement, SaysWhereTheSlotsAreWhenTheyDoNotSuffice) {
  expect_words(refused(kSix, {.num_ranks = 8}), {"not enough slots: asked 8, have 6 (h1: 3, h2: 3)", "--oversubscribe"});
}

TEST(Placement, SpreadsWhatIsBeyondTheSlotsEvenly) {
  EXPECT_EQ(plan(kAb, {.num_ranks = 8, .oversubscribe = true}), "0a0 1a1 2a2 3a3 4b0 5b1 6b2 7b3");
  Cluster bounded = kAb;
  bounded.hosts[0].max_slots = 2;
  EXPECT_EQ(plan(bounded, {.num_ranks = 7, .oversubscribe = true}), "0a0 1a1 2b0 3b1 4b2 5b3 6b4");
  bounded.hosts[1].max_slots = 3;
  expect_words(refused(bounded, {.num_ranks = 7, .oversubscribe = true}), {"asked 7, have 5 (a: 2, b: 3)"});
}

// The plans that mpirun 4.1.4 shows for the same hosts: what a host has no room for is shared out anew.
TEST(Placement, SharesByNodeAsMpirunDoes) {
  const auto sizes = [](const std::vector<std::pair<std::string, int>>& slots, int ranks) {
    const Cluster hosts = cluster(slots);
    return local_sizes(hosts, place_ranks(hosts, {.num_ranks = ranks, .map_by = MapBy::kNode}));
  };
  EXPECT_EQ(sizes({{"a", 5}, {"b", 5}, {"c", 3}, {"d", 1}}, 9), (std::vector<int>{4, 2, 2, 1}));
  EXPECT_EQ(sizes({{"a", 2}, {"b", 5}, {"c", 7}, {"d", 4}, {"e", 5}}, 14), (std::vector<int>{2, 4, 3, 3, 2}));
  EXPECT_EQ(sizes({{"a", 2}, {"b", 6}, {"c", 11}, {"d", 10}, {"e", 8}}, 32), (std::vector<int>{2, 6, 9, 8, 7}));
  EXPECT_EQ(sizes({{"a", 0}, {"b", 2}, {"c", 2}}, 3), (std::vector<int>{0, 2, 1}));
}

TEST(Placement, CpusPerRankBindToCpusAndToNothingElse) {
  PlacementOptions options{.num_ranks = 1, .binding = {.bind_to = BindTo::kSocket, .cpus_per_rank = 2}};
  expect_words(usage_error_of([&] { place_ranks(kAb, options); }), {"2 CPUs per rank", "--bind-to must be core, hwthread or none"});
  options.binding.bind_to = BindTo::kCore;
  options.binding.threads_are_cpus = true;
  expect_words(usage_error_of([&] { place_ranks(kAb, options); }), {"--bind-to must be hwthread or none"});
}

// The plans that mpirun 4.1.4 shows for the same hosts.
TEST(Placement, OversubscribesAsMpirunDoes) {
  const Cluster hosts = cluster({{"a", 1}, {"b", 4}, {"c", 1}});
  const auto sizes = [&](int ranks, MapBy map_by) {
    return local_sizes(hosts, place_ranks(hosts, {.num_ranks = ranks, .map_by = map_by, .oversubscribe = true}));
  };
  EXPECT_EQ(sizes(12, MapBy::kSlot), (std::vector<int>{3, 6, 3}));
  EXPECT_EQ(sizes(8, MapBy::kSlot), (std::vector<int>{2, 5, 1}));
  EXPECT_EQ(sizes(12, MapBy::kNode), (std::vector<int>{4, 4, 4}));
  EXPECT_EQ(sizes(6, MapBy::kNode), (std::vector<int>{1, 4, 1}));
  EXPECT_EQ(plan(kAb, {.num_ranks = 7, .map_by = MapBy::kNode, .oversubscribe = true}), "0a0 1b0 2a1 3b1 4a2 5b2 6a3");
}

TEST(Placement, GivesAHostWithoutSlotsNoRanks) {
  const Cluster hosts = cluster({{"a", 0}, {"b", 2}});
  EXPECT_EQ(plan(hosts, {}), "0b0 1b1");
  EXPECT_EQ(plan(hosts, {.num_ranks = 3, .oversubscribe = true}), "0b0 1b1 2b2");
  EXPECT_EQ(plan(hosts, {.per_node = 2}), "0b0 1b1");
  expect_words(refused(cluster({{"a", 0}}), {}), {"no host has slots"});
}

TEST(Placement, ProgramsOnHostsOfTheirOwnKeepWithinMaxSlotsTogether) {
  Cluster hosts = cluster({{"a", 1}, {"b", 1}});
  hosts.hosts[0].max_slots = 3;
  hosts.hosts[0].program_slots = {1, 1};
  hosts.hosts[1].program_slots = {0, 1};
  const auto placed = [&](int first, int second) {
    return plan(hosts, {.num_ranks = first + second, .ranks_of_program = {first, second}, .oversubscribe = true});
  };
  EXPECT_EQ(placed(2, 2), "0a0 1a1 2a2 3b0");
  EXPECT_EQ(placed(3, 2), "0a0 1a1 2a2 3b0 4b1");
  expect_words(refused(hosts, {.num_ranks = 5, .ranks_of_program = {4, 1}, .oversubscribe = true}), {"program 1", "asked 4, have 3"});
}

TEST(Placement, LeavesThisMachineOut) {
  EXPECT_EQ(plan(kAb, {.without = 0}), "0b0 1b1 2b2");
  expect_words(refused(cluster({{"a", 2}}), {.without = 0}), {"no host is left"});
}

TEST(Placement, OfZeroRanksIsEmpty) { EXPECT_EQ(plan(kAb, {.num_ranks = 0}), ""); }
TEST(Placement, RefusesNegativeNumbers) { expect_words(refused(kAb, {.num_ranks = -1}), {"-1"}); }
TEST(Placement, NeedsToKnowTheSlots) { expect_words(refused({{{.name = "a"}}}, {.num_ranks = 1}), {"host a", "not known"}); }

TEST(Placement, BindsRanksAndLeavesOversubscribedHostsUnbound) {
  Cluster hosts = kAb;
  for (Host& host : hosts.hosts) host.cores = {0, 1, 2, 3};
  const auto training = place_ranks(hosts, {.num_ranks = 4, .binding = {.bind_to = BindTo::kShare}});
  EXPECT_EQ(training[1].cpus, (std::vector<int>{2, 3}));
  const auto program = place_ranks(hosts, {.num_ranks = 2});
  EXPECT_EQ(program[1].cpus, (std::vector<int>{1}));
  const auto crowded = place_ranks(hosts, {.num_ranks = 6, .oversubscribe = true, .binding = {.bind_to = BindTo::kShare}});
  EXPECT_TRUE(crowded[0].cpus.empty());
  EXPECT_EQ(crowded[5].cpus, (std::vector<int>{2}));  // host b still has a slot for each of its ranks
}

TEST(Placement, HostsOfDifferentSizeAreBoundByTheirOwnCores) {
  Cluster hosts = cluster({{"head", 36}, {"small", 24}});
  for (Host& host : hosts.hosts)
    for (int core = 0; core < *host.slots; ++core) host.cores.push_back(core);
  const PlacementOptions by_core{.binding = {.bind_to = BindTo::kCore}};
  const auto places = place_ranks(hosts, by_core);
  ASSERT_EQ(places.size(), 60u);
  for (const RankPlace& place : places) EXPECT_EQ(place.cpus, std::vector<int>{place.local_rank}) << place.rank;
  hosts.hosts[1].slots = 30;
  expect_words(refused(hosts, by_core), {"--bind-to core", "host small", "30 ranks", "24 cores"});
}

TEST(Placement, KeepsTheSlotNumbersThatAFilterLeft) {
  Cluster hosts{{{.name = "a", .slots = 2, .slot_ids = {1, 3}, .gpus = {"4", "5", "6", "GPU-7"}}}};
  const auto places = place_ranks(hosts, {.gpu_per_rank = true});
  EXPECT_EQ(places[1].slot, 3);
  EXPECT_EQ(places[1].gpus, (std::vector<std::string>{"GPU-7"}));
  EXPECT_TRUE(place_ranks(hosts, {})[1].gpus.empty());
  hosts.hosts[0].slot_ids = {1, 4};
  expect_words(refused(hosts, {.gpu_per_rank = true}), {"host a", "4 GPUs", "slot 4"});
}

TEST(Placement, TakesSlotsFromTheHardwareWhenTheyAreNotGiven) {
  Cluster hosts{{{.name = "cpu", .cores = {0, 1, 2}}, {.name = "gpu", .cores = {0, 1, 2}, .gpus = {"0", "1"}}, {.name = "?"},
                 {.name = "many", .slots = 8, .gpus = {"0", "1"}}}};
  Cluster program = hosts;
  fill_slots(program, false);
  EXPECT_EQ(program.hosts[0].slots, 3);
  EXPECT_EQ(program.hosts[1].slots, 3);
  EXPECT_EQ(program.hosts[3].slots, 8);
  EXPECT_FALSE(slots_known(program));
  fill_slots(hosts, true);
  EXPECT_EQ(hosts.hosts[1].slots, 2);
  EXPECT_EQ(hosts.hosts[3].slots, 2);
}

TEST(Placement, CountsTheRanksOfEachHost) {
  EXPECT_EQ(local_sizes(kAb, place_ranks(kAb, {.num_ranks = 3})), (std::vector<int>{2, 1}));
}

TEST(Placement, KeepsItsPromisesForManyShapes) {
  for (int a = 0; a <= 4; ++a)
    for (int b = 1; b <= 4; ++b)
      for (int n = 1; n <= 12; ++n)
        for (MapBy map_by : {MapBy::kSlot, MapBy::kNode}) {
          const Cluster hosts = cluster({{"a", a}, {"b", b}, {"c", 2}});
          const auto places = place_ranks(hosts, {.num_ranks = n, .map_by = map_by, .oversubscribe = true});
          ASSERT_EQ(places.size(), static_cast<size_t>(n));
          std::vector<int> next(3);
          for (int rank = 0; rank < n; ++rank) {
            EXPECT_EQ(places[static_cast<size_t>(rank)].rank, rank);
            EXPECT_EQ(places[static_cast<size_t>(rank)].local_rank, next[places[static_cast<size_t>(rank)].host]++);
          }
          for (size_t i = 0; i < 3 && n <= a + b + 2; ++i) EXPECT_LE(next[i], *hosts.hosts[i].slots);
        }
}

PlacementOptions map_by(const std::string& text) {
  PlacementOptions options;
  take_map_by(text, options);
  return options;
}

PlacementOptions rank_by(const std::string& text) {
  PlacementOptions options;
  take_rank_by(text, options);
  return options;
}

TEST(MapPolicy, ReadsWhatMpirunReads) {
  EXPECT_EQ(map_by("slot").map_by, MapBy::kSlot);
  EXPECT_EQ(map_by("node:OVERSUBSCRIBE").map_by, MapBy::kNode);
  EXPECT_TRUE(map_by("node:OVERSUBSCRIBE").oversubscribe);
  EXPECT_EQ(map_by("ppr:2:node").per_node, 2);
  EXPECT_EQ(map_by("socket").binding.map_by, Level::kSocket);
  EXPECT_EQ(map_by("numa:nooversubscribe").binding.map_by, Level::kNuma);
  EXPECT_EQ(map_by("core").binding.map_by, Level::kCore);
  EXPECT_EQ(map_by("ppr:2:socket:PE=4").binding.per_place, 2);
  EXPECT_EQ(map_by("ppr:2:socket:PE=4").binding.cpus_per_rank, 4);
  EXPECT_EQ(map_by("node:PE=2").binding.cpus_per_rank, 2);
  for (const char* text : {"", "slots", "ppr", "ppr:0:node", "ppr:2:board", "ppr:x:node", "node:PE=0", "node:PE=x", ":", "slot,PE=2", "ppr:2:node,PE=2", "socket:span"})
    expect_words(usage_error_of([&] { map_by(text); }), {std::string("'") + text + "'", "ppr:N:object"});
  expect_words(usage_error_of([] { map_by("core:PE=2"); }), {"'core:PE=2'", "numa:PE=2"});
  EXPECT_EQ(rank_by("node").rank_by, RankBy::kNode);
  EXPECT_EQ(rank_by("core").binding.rank_by, Level::kCore);
  expect_words(usage_error_of([] { rank_by("board"); }), {"slot, node, socket"});
}

TEST(MapPolicy, ModifiersStandBehindACommaOrAColonAndAlsoAlone) {
  EXPECT_TRUE(map_by(":OVERSUBSCRIBE").oversubscribe);
  EXPECT_EQ(map_by(":OVERSUBSCRIBE").binding.map_by, Level::kSocket);
  EXPECT_FALSE(map_by(":OVERSUBSCRIBE").binding.binds_as_mapped);
  EXPECT_EQ(map_by(":PE=2").binding.cpus_per_rank, 2);
  for (const char* text : {"slot:PE=2,OVERSUBSCRIBE", "slot:PE=2:OVERSUBSCRIBE", "ppr:1:node:oversubscribe,pe=2"}) {
    EXPECT_EQ(map_by(text).binding.cpus_per_rank, 2) << text;
    EXPECT_TRUE(map_by(text).oversubscribe) << text;
  }
  EXPECT_FALSE(map_by(":OVERSUBSCRIBE,NOOVERSUBSCRIBE").oversubscribe) << "the last counts";
}

TEST(Placement, PutsAFixedNumberOnEachPlaceOfAHost) {
  Cluster hosts = cluster({{"a", 4}, {"b", 4}});
  for (Host& host : hosts.hosts) host.cores = {0, 1, 2, 3}, host.socket_of_core = {0, 0, 1, 1};
  EXPECT_EQ(plan(hosts, map_by("ppr:1:socket")), "0a0 1a1 2b0 3b1");
  PlacementOptions many = map_by("ppr:2:socket");
  many.num_ranks = 9;
  expect_words(refused(hosts, many), {"asked for 9 ranks", "2 per socket make 8"});
  expect_words(refused(hosts, map_by("ppr:3:socket")), {"6 ranks per host", "host a has 4 slots"});
  PlacementOptions few = map_by("ppr:3:socket");
  few.num_ranks = 4;
  EXPECT_EQ(plan(hosts, few), "0a0 1a1 2a2 3a3");
  EXPECT_FALSE(places_known(kAb, map_by("ppr:1:socket")));
  EXPECT_TRUE(places_known(hosts, map_by("ppr:1:socket")));
}

}  // namespace
}  // namespace ds
