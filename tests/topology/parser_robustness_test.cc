// Every parser of the folder that reads text of a user survives any text: it answers or throws ds::Error.
#include <gtest/gtest.h>

#include <functional>

#include "tests/topology/random_text.h"
#include "topology/base/error.h"
#include "topology/cgroup_limits.h"
#include "topology/cpu_list.h"
#include "topology/discover_nvml.h"
#include "topology/launch_environment.h"
#include "topology/placement.h"
#include "topology/process_mesh.h"

namespace ds {
namespace {

const std::vector<std::string> kWords{"0", "1", "3", "-", ",", ":", "99999999999", " ", "tp", "sp", "cp", "ep", "dp", "pp", "data", "ppr", "node",
                                      "slot", "socket", "oversubscribe", "max", "(x", "(x2)", ")", "GPU-", "MIG-", "\n"};

void expect_answers_or_refuses(const std::function<void(const std::string&)>& parse) {
  std::mt19937 random(20260102);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = i % 2 ? random_bytes(random, 24) : random_words(random, kWords, 9);
    try {
      parse(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

TEST(ParserRobustness, CpuListSurvivesAnyText) { expect_answers_or_refuses([](const std::string& text) { parse_cpu_list(text); }); }
TEST(ParserRobustness, MapPolicySurvivesAnyText) {
  PlacementOptions options;
  expect_answers_or_refuses([&](const std::string& text) { take_map_by(text, options); });
  expect_answers_or_refuses([&](const std::string& text) { take_rank_by(text, options); });
  expect_answers_or_refuses([](const std::string& text) { bind_to_named(text); });
}
TEST(ParserRobustness, MeshOrderSurvivesAnyText) { expect_answers_or_refuses([](const std::string& text) { ProcessMesh::parse_order(text); }); }
TEST(ParserRobustness, LimitsAndDevicesSurviveAnyText) {
  expect_answers_or_refuses([](const std::string& text) {
    memory_limit(text);
    cpu_limit(text);
    visible_gpus({"GPU-1", "GPU-2"}, text);
  });
}
TEST(ParserRobustness, RankEnvironmentSurvivesAnyValue) {
  const RankEnvironment place{.rank = 1, .world_size = 2, .job = "j"};
  Variables slurm{{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "3"}, {"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "1"}, {"SLURM_TASKS_PER_NODE", "2,1"}, {"PMIX_RANK", "1"}};
  for (const Variables& valid : {rank_variables(place), slurm})
    for (const auto& [name, value] : valid)
      expect_answers_or_refuses([&](const std::string& text) {
        Variables damaged = valid;
        damaged[name] = text;
        read_rank_environment(damaged);
      });
}

}  // namespace
}  // namespace ds
