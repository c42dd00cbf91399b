#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/checkpoint/support.h"
#include "tests/engine/tools/run_tool.h"

namespace ds {
namespace {

using nlohmann::json;
using test::run_tool;

class CheckCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    test::write_text(scratch_.path() + "/" + name, text);
    return scratch_.path() + "/" + name;
  }
  static json check(const std::vector<std::string>& files, int expected) {
    std::vector<std::string> words{"check", "--json"};
    words.insert(words.end(), files.begin(), files.end());
    const auto result = run_tool(words);
    EXPECT_EQ(result.exit_code, expected) << result.out;
    return json::parse(result.out);
  }
  test::ScratchFolder scratch_;
};

TEST_F(CheckCommand, ReadsAHostfile) {
  const json found = check({file("hosts", "a slots=2\nb slots=4\n")}, kToolOk);
  EXPECT_EQ(found[0]["kind"], "hostfile");
  EXPECT_EQ(found[0]["values"][1]["key"], "b");
  EXPECT_EQ(check({file("bad", "a slotz=2\n")}, kToolFinding)[0]["problems"].size(), 1u);
}

constexpr const char* kDsConfig = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2},
  "optimizer": {"type": "AdamW", "params": {"lr": 0.001}}})";

TEST_F(CheckCommand, ReadsADeepSpeedConfiguration) {
  const json found = check({file("ds.json", kDsConfig)}, kToolOk);
  EXPECT_EQ(found[0]["kind"], "DeepSpeed configuration");
  bool named = false;
  for (const json& row : found[0]["values"]) named = named || row["key"].get<std::string>().find("stage") != std::string::npos;
  EXPECT_TRUE(named) << found.dump(1);
  const json bad = check({file("bad.json", R"({"train_batch_sise": 8})")}, kToolFinding);
  EXPECT_NE(bad[0]["problems"].dump().find("train_batch_size"), std::string::npos) << bad.dump(1);
}

TEST_F(CheckCommand, ReadsAModelsConfig) {
  const json found = check({file("config.json", R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 2,
    "n_embd": 32, "n_head": 2, "vocab_size": 256, "n_positions": 64})")}, kToolOk);
  EXPECT_EQ(found[0]["kind"], "model");
}

TEST_F(CheckCommand, ReadsATrainConfigWithAllItsProblems) {
  const json found = check({file("train.cfg", "[train]\nstepz = 3\n[job]\nname = x\n")}, kToolFinding);
  EXPECT_EQ(found[0]["kind"], "train.cfg");
  EXPECT_NE(found[0]["problems"].dump().find("train.steps"), std::string::npos) << found.dump(1);
}

TEST_F(CheckCommand, TakesSeveralFilesAndRefusesOneThatIsNotThere) {
  EXPECT_EQ(check({file("hosts", "a slots=2\n"), file("ds.json", kDsConfig)}, kToolOk).size(), 2u);
  EXPECT_NE(test::error_of([&] { run_tool({"check", scratch_.path() + "/none"}); }).find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace ds
