#include "topology/cpu_binding.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/topology/expect_error.h"

namespace ds {
namespace {

using Cpus = std::vector<int>;
using Binding = std::vector<Cpus>;

// `numas` places of `each` cores; two NUMA nodes share a socket. CPU numbers are even, as with hyper-threads between.
Host host(int numas, int each) {
  Host host{.name = "h"};
  for (int numa = 0; numa < numas; ++numa)
    for (int i = 0; i < each; ++i) {
      host.cores.push_back(2 * static_cast<int>(host.cores.size()));
      host.numa_of_core.push_back(numa);
      host.socket_of_core.push_back(numa / 2);
    }
  return host;
}

Binding bind(const Host& host, int num_local, BindTo bind_to, std::optional<Level> map_by = {}, int num_ranks = 0) {
  return bind_ranks(host, num_local, num_ranks ? num_ranks : num_local, false, {.bind_to = bind_to, .map_by = map_by});
}

TEST(CpuBinding, GivesProgramsACoreEachUpToTwoRanks) { EXPECT_EQ(bind(host(1, 4), 2, BindTo::kDefault), (Binding{{0}, {2}})); }

TEST(CpuBinding, GivesProgramsANumaNodeEachBeyondTwoRanks) {
  const Host two_sockets = host(4, 2);
  EXPECT_EQ(bind(two_sockets, 3, BindTo::kDefault), (Binding{{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(bind(two_sockets, 1, BindTo::kDefault, {}, 8), (Binding{{0, 2}}));
}

TEST(CpuBinding, LeavesProgramsUnboundWhenOversubscribedOrOutOfCores) {
  EXPECT_EQ(bind_ranks(host(1, 4), 2, 2, true, {}), (Binding{{}, {}}));
  EXPECT_EQ(bind(host(1, 2), 3, BindTo::kDefault), (Binding{{}, {}, {}}));
}

TEST(CpuBinding, DoesWhatIsAskedFor) {
  const Host h = host(4, 2);
  EXPECT_EQ(bind(h, 2, BindTo::kNone), (Binding{{}, {}}));
  EXPECT_EQ(bind(h, 3, BindTo::kCore, Level::kCore), (Binding{{0}, {2}, {4}}));
  EXPECT_EQ(bind(h, 3, BindTo::kCore, Level::kSocket), (Binding{{0}, {8}, {2}}));
  EXPECT_EQ(bind(h, 2, BindTo::kNuma, Level::kNuma), (Binding{{0, 2}, {4, 6}}));
  EXPECT_EQ(bind(h, 2, BindTo::kSocket, Level::kCore), (Binding{{0, 2, 4, 6}, {0, 2, 4, 6}}));
}

TEST(CpuBinding, FollowsTheMappingWithoutBindTo) {
  const Host h = host(4, 2);
  EXPECT_EQ(bind(h, 2, BindTo::kDefault, Level::kSocket), (Binding{{0, 2, 4, 6}, {8, 10, 12, 14}}));
  EXPECT_EQ(bind(h, 2, BindTo::kDefault, Level::kNuma), (Binding{{0, 2}, {4, 6}}));
  EXPECT_EQ(bind(h, 3, BindTo::kDefault, Level::kCore), (Binding{{0}, {2}, {4}}));
}

TEST(CpuBinding, ACoreIsAllItsHardwareThreads) {
  Host h = host(1, 2);
  h.threads_of_core = {{0, 1}, {2, 3}};
  EXPECT_EQ(bind(h, 2, BindTo::kDefault), (Binding{{0, 1}, {2, 3}}));
  EXPECT_EQ(bind(h, 3, BindTo::kThread, Level::kThread), (Binding{{0}, {1}, {2}}));
  EXPECT_EQ(bind(h, 2, BindTo::kShare), (Binding{{0, 1}, {2, 3}}));
  EXPECT_EQ(bind_ranks(h, 2, 2, false, {.threads_are_cpus = true}), (Binding{{0}, {1}}));
  EXPECT_EQ(bind_ranks(h, 1, 1, false, {.cpu_list = {3}}), (Binding{{3}}));
  EXPECT_EQ(bind_ranks(h, 1, 1, false, {.cpu_list = {2}}), (Binding{{2, 3}}));
}

TEST(CpuBinding, SeveralCpusPerRankAreWholeCoresOfThePlace) {
  const Host h = host(4, 2);
  EXPECT_EQ(bind_ranks(h, 2, 2, false, {.map_by = Level::kSocket, .cpus_per_rank = 2}), (Binding{{0, 2}, {8, 10}}));
  EXPECT_EQ(bind_ranks(h, 2, 2, false, {.cpus_per_rank = 2}), (Binding{{0, 2}, {4, 6}}));
  expect_words(usage_error_of([&] { bind_ranks(h, 3, 3, false, {.map_by = Level::kNuma, .cpus_per_rank = 3}); }),
               {"3 cpus per rank", "host h", "3 ranks", "8 cores"});
}

TEST(CpuBinding, OneCpuPerRankIsACoreEachToo) {
  const Host h = host(4, 2);
  EXPECT_EQ(bind_ranks(h, 3, 3, false, {.map_by = Level::kHost, .cpus_per_rank = 1}), (Binding{{0}, {2}, {4}}));
}

TEST(CpuBinding, ThreadsInsteadOfCoresWhereTheyAreAskedFor) {
  Host h = host(1, 2);
  h.threads_of_core = {{0, 1}, {2, 3}};
  EXPECT_EQ(bind_ranks(h, 2, 2, false, {.bind_to = BindTo::kThread, .map_by = Level::kHost, .cpus_per_rank = 2}), (Binding{{0, 1}, {2, 3}}));
  EXPECT_EQ(bind_ranks(h, 1, 1, false, {.bind_to = BindTo::kThread, .map_by = Level::kHost, .cpus_per_rank = 1}), (Binding{{0}}));
}

// As mpirun does with --oversubscribe.
TEST(CpuBinding, SharedCpusStartAgainFromTheFirstOfThePlace) {
  const Host h = host(4, 2);
  const Binding twice = bind_ranks(h, 5, 5, true, {.map_by = Level::kSocket, .cpus_per_rank = 2, .may_share_cpus = true});
  EXPECT_EQ(twice, (Binding{{0, 2}, {8, 10}, {4, 6}, {12, 14}, {0, 2}}));
  EXPECT_THROW(bind_ranks(h, 5, 5, true, {.map_by = Level::kSocket, .cpus_per_rank = 2}), Error);
}

TEST(CpuBinding, NumbersRanksRoundAPlace) {
  const Host h = host(2, 2);  // one socket, two NUMA nodes
  const BindingOptions by_core{.map_by = Level::kCore, .rank_by = Level::kNuma};
  EXPECT_EQ(bind_ranks(h, 4, 4, false, by_core), (Binding{{0}, {4}, {2}, {6}}));
}

TEST(CpuBinding, RefusesABindingThatIsTooSmall) {
  expect_words(usage_error_of([] { bind(host(1, 2), 3, BindTo::kCore); }), {"--bind-to core", "host h", "3 ranks", "2 cores", "none"});
}

TEST(CpuBinding, SharesTheCoresAmongTheRanksOfATrainingJob) {
  EXPECT_EQ(bind(host(1, 8), 2, BindTo::kShare), (Binding{{0, 2, 4, 6}, {8, 10, 12, 14}}));
  EXPECT_EQ(bind(host(1, 7), 3, BindTo::kShare), (Binding{{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(bind(host(2, 4), 2, BindTo::kShare), (Binding{{0, 2, 4, 6}, {8, 10, 12, 14}}));
  EXPECT_EQ(bind(host(1, 2), 3, BindTo::kShare), (Binding{{}, {}, {}}));
  EXPECT_EQ(bind_ranks(host(1, 8), 2, 2, true, {.bind_to = BindTo::kShare}), (Binding{{}, {}}));
}

TEST(CpuBinding, NeverSplitsAShareOverNumaNodesNorGivesACoreTwice) {
  for (int numas = 1; numas <= 4; ++numas)
    for (int each = 1; each <= 6; ++each)
      for (int ranks = 1; ranks <= numas * each; ++ranks) {
        const Binding binding = bind(host(numas, each), ranks, BindTo::kShare);
        ASSERT_EQ(binding.size(), static_cast<size_t>(ranks));
        std::set<int> taken;
        for (const Cpus& cpus : binding) {
          ASSERT_FALSE(cpus.empty());
          EXPECT_EQ(cpus.size(), binding[0].size());
          EXPECT_EQ(cpus.front() / 2 / each, cpus.back() / 2 / each);
          for (int cpu : cpus) EXPECT_TRUE(taken.insert(cpu).second);
        }
      }
}

TEST(CpuBinding, TakesOnlyTheListedCpusInTheirOrder) {
  EXPECT_EQ(bind_ranks(host(1, 4), 2, 2, false, {.cpu_list = {6, 2, 0}}), (Binding{{0, 2, 6}, {0, 2, 6}}));
  const BindingOptions options{.bind_to = BindTo::kCore, .map_by = Level::kCore, .cpu_list = {6, 2, 0}};
  EXPECT_EQ(bind_ranks(host(1, 4), 3, 3, false, options), (Binding{{6}, {2}, {0}}));
  EXPECT_EQ(bind_ranks(host(1, 4), 1, 1, false, {.bind_to = BindTo::kShare, .cpu_list = {6, 2}}), (Binding{{2, 6}}));
  expect_words(usage_error_of([] { bind_ranks(host(1, 4), 1, 1, false, {.cpu_list = {1}}); }), {"host h", "CPU 1"});
}

TEST(CpuBinding, AListWithFewerCoresThanRanksIsNeverIgnored) {
  EXPECT_EQ(bind_ranks(host(1, 4), 2, 2, false, {.bind_to = BindTo::kShare, .cpu_list = {2}}), (Binding{{2}, {2}}));
  const BindingOptions asked{.bind_to = BindTo::kShare, .must_share = true, .cpu_list = {2, 4}};
  EXPECT_EQ(bind_ranks(host(1, 4), 2, 2, true, asked), (Binding{{2}, {4}}));
  expect_words(usage_error_of([&] { bind_ranks(host(1, 4), 3, 3, true, asked); }),
               {"option --bind_cores_to_rank", "each rank a core", "host h: 3 ranks, 2 cores in the list"});
  expect_words(usage_error_of([] { bind_ranks(host(1, 2), 3, 3, false, {.bind_to = BindTo::kShare, .must_share = true}); }), {"3 ranks, 2 cores"});
}

TEST(CpuBinding, BindsNothingOnAHostItDoesNotKnow) { EXPECT_EQ(bind(Host{.name = "h"}, 2, BindTo::kCore), (Binding{{}, {}})); }

TEST(CpuBinding, NamesWhatBindToKnows) {
  EXPECT_EQ(bind_to_named("package"), BindTo::kSocket);
  expect_words(usage_error_of([] { bind_to_named("board"); }), {"'board'", "none, hwthread, core, socket or numa"});
}

}  // namespace
}  // namespace ds
