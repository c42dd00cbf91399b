// dslaunch with hundreds of agents on one machine: real sockets, real authentication, simulated hosts.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/simulated_cluster.h"
#include "tests/support/places.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using namespace std::chrono_literals;

RunOptions in(const SimulatedCluster& cluster) {
  RunOptions options;
  options.env = cluster.environment();
  return options;
}

nlohmann::json report_of(const SimulatedCluster& cluster) {
  std::ifstream file(cluster.report_path());
  return nlohmann::json::parse(file, nullptr, false);
}

// dslaunch under `ulimit`, a shell's words for it.
RunResult run_limited(const std::string& ulimit, const std::vector<std::string>& arguments, RunOptions options) {
  options.program = "sh";
  std::vector<std::string> words = {"-c", ulimit + R"( && exec "$0" "$@")", test::bin_folder() + "/dslaunch"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_dslaunch(words, options);
}

TEST(ControlPlane, AThousandAgentsFormAGenerationRunItAndLeave) {
  const SimulatedCluster cluster({.num_hosts = 1000});
  const RunResult result = run_dslaunch({"program"}, in(cluster));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  const nlohmann::json report = report_of(cluster);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["ends"].size(), 0u) << report["ends"];
  EXPECT_NE(report["last_start_ns"], 0);
}

TEST(ControlPlane, AnAgentThatAnswersLateIsWaitedForAndTheOthersAreHeardMeanwhile) {
  const SimulatedCluster cluster({.num_hosts = 200, .ranks_live = 3s, .late_host = 7, .late = 500ms});
  const RunResult result = run_dslaunch({"program"}, in(cluster));
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json report = report_of(cluster);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["ends"].size(), 0u) << report["ends"];
  EXPECT_GE(report["beat_ms"].size(), 199u) << "every other agent had its beats answered";
}

TEST(ControlPlane, ASmallSoftLimitOfDescriptorsIsRaisedForTheLauncherAlone) {
  const SimulatedCluster cluster({.num_hosts = 200});
  const RunResult many = run_limited("ulimit -S -n 100", {"program"}, in(cluster));
  EXPECT_EQ(many.code, 0) << many.err;
  const RunResult one = run_limited("ulimit -S -n 100", {"-np", "1", "sh", "-c", "ulimit -S -n"}, {});
  EXPECT_EQ(one.out, "100\n") << one.err;
}

}  // namespace
}  // namespace ds::testing
