// Where ranks go and what they are bound to on machines of several kinds, asked of mpirun and of our plan.
#include <gtest/gtest.h>

#include "tests/mpirun/mpirun_run.h"
#include "tests/mpirun/placement_oracle.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

struct Machine {
  std::string name, synthetic;  // hwloc's description
};

const std::vector<Machine> kMachines{{"TwoSockets", "pack:2 numa:1 core:4 pu:2"},
                                     {"FourNumaNodes", "pack:2 numa:2 core:2 pu:2"},
                                     {"OneSocket", "pack:1 numa:1 core:8 pu:1"}};

const std::vector<std::string> kLines{"-np 1",
                                      "-np 2",
                                      "-np 3",
                                      "-np 8",
                                      "-np 9",
                                      "-np 9 --oversubscribe",
                                      "-np 3 --bind-to none",
                                      "-np 3 --bind-to core",
                                      "-np 3 --bind-to socket",
                                      "-np 2 --bind-to socket",
                                      "-np 4 --bind-to numa",
                                      "-np 4 --bind-to hwthread",
                                      "-np 4 --map-by core",
                                      "-np 3 --map-by socket",
                                      "-np 4 --map-by numa",
                                      "-np 4 --map-by hwthread",
                                      "-np 3 --map-by node",
                                      "-np 3 --map-by slot",
                                      "-np 2 --map-by slot",
                                      "-np 4 --map-by core --bind-to socket",
                                      "-np 4 --map-by socket --bind-to core",
                                      "-np 8 --map-by socket --rank-by core",
                                      "-np 8 --map-by socket --rank-by socket",
                                      "-np 8 --map-by core --rank-by socket",
                                      "-np 8 --map-by numa --rank-by core",
                                      "-np 8 --map-by numa --rank-by hwthread",
                                      "-np 8 --map-by slot --rank-by numa",
                                      "-np 2 --map-by slot:PE=2",
                                      "-np 4 --map-by slot:PE=2",
                                      "-np 2 --map-by socket:PE=2",
                                      "-np 2 --map-by :PE=2",
                                      "-np 4 --map-by :PE=2,OVERSUBSCRIBE",
                                      "-np 2 --map-by :OVERSUBSCRIBE",
                                      "-np 3 --map-by :OVERSUBSCRIBE",
                                      "-np 9 --map-by :OVERSUBSCRIBE",
                                      "-np 2 --map-by node:PE=2",
                                      "-np 3 --map-by numa:PE=3",
                                      "-np 4 --map-by core:PE=2",
                                      "--map-by ppr:1:socket",
                                      "--map-by ppr:2:socket",
                                      "--map-by ppr:2:socket --bind-to core",
                                      "-np 4 --map-by ppr:1:core",
                                      "-np 5 --map-by ppr:2:numa",
                                      "-np 4 --map-by ppr:4:node",
                                      "--map-by ppr:9:node",
                                      "--map-by ppr:5:socket",
                                      "-N 3",
                                      "-npernode 2",
                                      "-pernode",
                                      "-npersocket 1",
                                      "-np 2 --cpus-per-proc 2",
                                      "-np 4 --bycore",
                                      "-np 4 --bynode",
                                      "-np 2 --bind-to-core",
                                      "-np 4 --bind-to-socket",
                                      "-np 2 --use-hwthread-cpus",
                                      "-np 4 --use-hwthread-cpus",
                                      "-np 2 --use-hwthread-cpus --bind-to core",
                                      "-np 8 --use-hwthread-cpus --bind-to hwthread",
                                      "-np 2 --use-hwthread-cpus --map-by numa:PE=2"};

class BindingOracle : public ::testing::TestWithParam<Machine> {};

TEST_P(BindingOracle, PutsRanksWhereMpirunDoes) {
  if (const std::string reason = no_oracle(); !reason.empty()) GTEST_SKIP() << reason;
  const MadeUpHosts hosts{GetParam().synthetic, {8}};
  for (const std::string& line : kLines)
    EXPECT_EQ(dslaunch_says(hosts, split(line, ' ')), mpirun_says(hosts, split(line, ' '))) << "with " << line;
}

INSTANTIATE_TEST_SUITE_P(Every, BindingOracle, ::testing::ValuesIn(kMachines), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ds::testing
