#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/engine/checkpoint/support.h"
#include "tests/engine/tools/run_tool.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::error_of;
using test::run_tool;

// An output folder with steps 10 and 20; `latest` names 20.
class CheckpointCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    test::save_small(steps(), 2, 10, 1);
    test::save_small(steps(), 3, 20, 2);
  }
  std::string output() const { return scratch_.path(); }
  std::string steps() const { return scratch_.path() + "/checkpoints"; }
  void damage(const std::string& file) const {
    std::string bytes = test::read_text(steps() + "/" + file);
    bytes[bytes.size() / 2] ^= 1;
    test::write_text(steps() + "/" + file, bytes);
  }
  test::ScratchFolder scratch_;
};

TEST_F(CheckpointCommand, ListsStepsFromAnyOfTheThreeFolders) {
  for (const std::string& folder : {output(), steps(), output() + "/"}) {
    const auto result = run_tool({"checkpoint", "list", folder, "--json"});
    EXPECT_EQ(result.exit_code, kToolOk);
    const json rows = json::parse(result.out);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0]["step"], 10);
    EXPECT_EQ(rows[0]["latest"], false);
    EXPECT_EQ(rows[1]["latest"], true);
    EXPECT_GT(rows[1]["bytes"], 1000);
  }
  EXPECT_EQ(json::parse(run_tool({"checkpoint", "list", steps() + "/step10", "--json"}).out).size(), 1u);
  EXPECT_NE(run_tool({"checkpoint", "list", output()}).out.find("latest"), std::string::npos);
}

TEST_F(CheckpointCommand, ListsADamagedStepAsAFinding) {
  fs::remove(steps() + "/step10/rank1.bin");
  const auto result = run_tool({"checkpoint", "list", output()});
  EXPECT_EQ(result.exit_code, kToolFinding);
  EXPECT_NE(result.out.find("rank1.bin: missing"), std::string::npos) << result.out;
}

TEST_F(CheckpointCommand, ShowsStateTensorsAndFiles) {
  const json shown = json::parse(run_tool({"checkpoint", "show", output(), "--json"}).out);
  EXPECT_EQ(shown["step"], 20);
  EXPECT_EQ(shown["state"]["version"], 2);
  EXPECT_EQ(shown["tensors"].size(), test::small_model().size());
  EXPECT_EQ(shown["files"].size(), 4u);
  const std::string text = run_tool({"checkpoint", "show", steps() + "/step10"}).out;
  EXPECT_NE(text.find("step 10"), std::string::npos);
  EXPECT_NE(text.find("wte.weight"), std::string::npos);
  EXPECT_NE(text.find("float32 [16, 9]"), std::string::npos);
  EXPECT_NE(text.find("rank1.bin"), std::string::npos);
}

TEST_F(CheckpointCommand, VerifiesWhatLatestNamesOrAll) {
  EXPECT_EQ(run_tool({"checkpoint", "verify", output()}).exit_code, kToolOk);
  damage("step10/rank1.bin");
  EXPECT_EQ(run_tool({"checkpoint", "verify", steps()}).exit_code, kToolOk);
  EXPECT_EQ(run_tool({"checkpoint", "verify", steps(), "--all"}).exit_code, kToolFinding);
  const auto result = run_tool({"checkpoint", "verify", steps() + "/step10", "--json"});
  EXPECT_EQ(result.exit_code, kToolFinding);
  const json found = json::parse(result.out);
  EXPECT_EQ(found["ok"], false);
  EXPECT_NE(found["problems"][0].get<std::string>().find("rank1.bin"), std::string::npos);
}

TEST_F(CheckpointCommand, FindsADamagedManifestAndAMissingShard) {
  damage("step20/manifest.json");
  auto result = run_tool({"checkpoint", "verify", output()});
  EXPECT_EQ(result.exit_code, kToolFinding);
  EXPECT_NE(result.out.find("manifest.json"), std::string::npos);
  fs::remove(steps() + "/step10/rank0.bin");
  result = run_tool({"checkpoint", "verify", steps() + "/step10"});
  EXPECT_EQ(result.exit_code, kToolFinding);
  EXPECT_NE(result.out.find("rank0.bin: missing"), std::string::npos);
}

TEST_F(CheckpointCommand, ComparesTwoCheckpoints) {
  auto result = run_tool({"checkpoint", "diff", steps() + "/step10", steps() + "/step10"});
  EXPECT_EQ(result.exit_code, kToolOk);
  EXPECT_NE(result.out.find("equal bit for bit"), std::string::npos);
  result = run_tool({"checkpoint", "diff", steps() + "/step10", output()});
  EXPECT_EQ(result.exit_code, kToolFinding);
  EXPECT_NE(result.out.find("wte.weight"), std::string::npos);
  EXPECT_NE(result.out.find("state /version"), std::string::npos);
  const json found = json::parse(run_tool({"checkpoint", "diff", steps() + "/step10", output(), "--json"}).out);
  EXPECT_EQ(found["equal"], false);
}

TEST_F(CheckpointCommand, PrunesOlderOnesButNotWhatLatestNames) {
  EXPECT_EQ(json::parse(run_tool({"checkpoint", "prune", output(), "--keep", "1", "--dry-run", "--json"}).out)["removed"],
            json::array({10}));
  EXPECT_TRUE(fs::exists(steps() + "/step10"));
  test::save_small(steps(), 1, 30, 1);
  test::write_text(steps() + "/latest", "step10\n");
  EXPECT_EQ(run_tool({"checkpoint", "prune", steps(), "--keep", "1"}).exit_code, kToolOk);
  EXPECT_EQ(test::names_in(steps()), (std::vector<std::string>{"latest", "step10", "step30"}));
}

TEST_F(CheckpointCommand, SaysWhatIsMissing) {
  EXPECT_NE(error_of([&] { run_tool({"checkpoint", "prune", output()}); }).find("--keep"), std::string::npos);
  EXPECT_NE(error_of([&] { run_tool({"checkpoint", "verify", output() + "/none"}); }).find("no such folder"), std::string::npos);
  EXPECT_NE(error_of([&] { run_tool({"checkpoint", "diff", output()}); }).find("too few"), std::string::npos);
}

}  // namespace
}  // namespace ds
