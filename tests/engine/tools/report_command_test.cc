#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/engine/tools/run_tool.h"
#include "tests/support/places.h"
#include "topology/base/text.h"
#include "topology/topology_file.h"

namespace ds {
namespace {

TEST(ReportCommand, NamesLibrariesAndTheMachine) {
  const auto result = test::run_tool({"report", "--json"});
  EXPECT_EQ(result.exit_code, kToolOk);
  const auto rows = nlohmann::json::parse(result.out);
  EXPECT_EQ(rows["libtorch"]["ok"], true);
  for (const char* subject : {"Open MPI", "OpenPMIx", "UCX", "NCCL", "CUDA driver", "GPUs", "io_uring", "/dev/shm"})
    EXPECT_TRUE(rows.contains(subject) && rows[subject].contains("ok")) << subject;
  EXPECT_TRUE(rows.contains("locked memory"));
  EXPECT_NE(test::run_tool({"report"}).out.find("libtorch"), std::string::npos);
}

TEST(TopologyCommand, PrintsATopologyFileThatReadsBack) {
  const auto result = test::run_tool({"topology", "--json"});
  const Cluster cluster = parse_topology(result.out, "out");
  ASSERT_EQ(cluster.hosts.size(), 1u);
  EXPECT_FALSE(cluster.hosts[0].cores.empty());
  EXPECT_NE(test::run_tool({"topology"}).out.find("NUMA node"), std::string::npos);
}

TEST(TopologyCommand, PrintsADescribedClusterAsTablesAndWrittenOut) {
  const std::string file = (test::source_folder() / "topology/samples/two_level.json").string();
  const Cluster cluster = parse_topology(test::run_tool({"topology", file, "--json"}).out, "out");
  EXPECT_EQ(cluster, parse_topology(read_file(file), file));
  std::string text = test::run_tool({"topology", file}).out;
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  for (const char* line : {"\nn01 - switch switch switch fabric fabric fabric fabric\n", "\n0 0 0 mlx5_0 - 6 6 6\n", "\nmlx5_3 RDMA 1 3 3 25 GB/s\n",
                           "\nfabric 6 GB/s\n", "\nrack west\n", "\n0 - link link link\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
}  // namespace ds
