// Options put together by chance: hosts, counts, ways to map, rank and bind. --gtest_random_seed=N gives other ones,
// DSLAUNCH_PLACEMENTS=N more of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/mpirun/mpirun_run.h"
#include "tests/mpirun/placement_oracle.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using Words = std::vector<std::string>;

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  int number(int from, int to) { return std::uniform_int_distribution<>(from, to)(random_); }
  bool one_in(int n) { return number(1, n) == 1; }
  std::string one_of(const Words& words) { return words[static_cast<size_t>(number(0, static_cast<int>(words.size()) - 1))]; }

 private:
  std::mt19937 random_;
};

MadeUpHosts some_hosts(Chance& chance) {
  MadeUpHosts hosts{chance.one_of({"pack:2 numa:1 core:4 pu:2", "pack:2 numa:2 core:2 pu:2", "pack:1 numa:1 core:8 pu:1",
                                   "pack:2 numa:1 core:3 pu:1", "pack:1 numa:1 core:2 pu:2", "pack:4 numa:1 core:2 pu:1"}),
                    {}};
  for (int h = chance.one_in(2) ? 1 : chance.number(2, 4); h > 0; --h) hosts.slots.push_back(chance.number(1, 8));
  return hosts;
}

std::string some_way(Chance& chance) {
  if (!chance.one_in(5)) return chance.one_of({"slot", "node", "socket", "numa", "core", "hwthread"});
  return "ppr:" + std::to_string(chance.number(1, 4)) + ":" + chance.one_of({"node", "socket", "numa", "core", "hwthread"});
}

bool of_one_cpu(const std::string& way) { return way.ends_with("core") || way.ends_with("hwthread"); }

// Not put together: what mpirun 4.1 does otherwise and docs/mpirun.md lists (-N beside --map-by, ppr without -np), and on
// several hosts bindings, since it counts ranks on equal machines together when none of them is there.
Words some_options(Chance& chance, bool one_host) {
  const std::string count = std::to_string(chance.number(1, 16));
  Words words;
  if (chance.one_in(8)) {
    words = {"-N", std::to_string(chance.number(1, 4))};
    if (chance.one_in(2)) words.insert(words.end(), {"-np", count});
  } else {
    words = {"-np", count};
    std::string way = some_way(chance);
    if (one_host && !of_one_cpu(way) && chance.one_in(5)) way += ":PE=" + std::to_string(chance.number(1, 3));
    if (!chance.one_in(3)) words.insert(words.end(), {"--map-by", way});
  }
  if (chance.one_in(3))
    words.insert(words.end(), {"--rank-by", chance.one_of({"slot", "node", "socket", "numa", "core", "hwthread"})});
  if (!one_host) words.insert(words.end(), {"--bind-to", "none"});
  else if (chance.one_in(3))
    words.insert(words.end(), {"--bind-to", chance.one_of({"none", "core", "socket", "numa", "hwthread"})});
  if (chance.one_in(4)) words.push_back("--oversubscribe");
  if (one_host && chance.one_in(10)) words.push_back("--use-hwthread-cpus");
  return words;
}

int count() {
  const char* text = std::getenv("DSLAUNCH_PLACEMENTS");
  return text != nullptr ? std::atoi(text) : 60;
}

TEST(RandomPlacements, AreWhereMpirunPutsThem) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  Chance chance(static_cast<unsigned>(GTEST_FLAG_GET(random_seed)));
  for (int i = 0; i < count(); ++i) {
    const MadeUpHosts hosts = some_hosts(chance);
    const Words options = some_options(chance, hosts.slots.size() == 1);
    std::string slots;
    for (const int n : hosts.slots) slots += " " + std::to_string(n);
    EXPECT_EQ(dslaunch_says(hosts, options), mpirun_says(hosts, options))
        << "on hosts of " << hosts.machine << ", slots" << slots << ", with " << join(options, " ");
  }
}

}  // namespace
}  // namespace ds::testing
