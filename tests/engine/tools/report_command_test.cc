#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/tools/run_tool.h"
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

}  // namespace
}  // namespace ds
