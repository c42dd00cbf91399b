#include "engine/config/train_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "engine/config/train_options.h"
#include "engine/config/value_rule.h"
#include "tests/engine/config/job_folder.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using test::complaint;
using test::contains;
using test::JobFolder;

std::string why(const std::string& path, const test::Overrides& overrides = {}) {
  return complaint([&] { load_train_config(path, overrides); });
}

TEST(TrainConfig, GivesValuesWithTheirPlace) {
  JobFolder folder;
  const auto path = folder.write_train_config();
  const auto config = load_train_config(path, {});
  EXPECT_EQ(config.text("train.steps"), "10");
  EXPECT_EQ(config.values.at("train.steps").where, path + ":7");
  EXPECT_EQ(config.text("train.epochs", "none"), "none");
  EXPECT_EQ(config.ds_config_text, "{}");
}

TEST(TrainConfig, MakesPathsOfTheFileRelativeToTheFileAndOfOptionsToTheWorkingFolder) {
  JobFolder folder;
  const auto path = folder.write_train_config("", "[job]\noutput = ../out/./x/\n");
  const auto config = load_train_config(path, {{"data.valid", "some/valid.txt"}});
  EXPECT_EQ(config.text("model.config"), folder.path("model"));
  EXPECT_EQ(config.text("job.output"), std::filesystem::path(folder.path("../out/x")).lexically_normal().string());
  EXPECT_EQ(config.text("data.valid"), (std::filesystem::current_path() / "some/valid.txt").string());
}

TEST(TrainConfig, RefusesPathsThatCannotBe) {
  JobFolder folder;
  const std::string long_name(300, 'a');
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"train.deepspeed_config", long_name}}), "too long"));
  EXPECT_EQ(why(folder.write_train_config(), {{"data.valid", long_name}}), "") << "it may be a list; resolve looks";
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"data.valid", " , ,"}}), "data.valid=, ,: has no value"));
  for (const char* path : {"a /.", "a\t/b/..", "b,a /.,c"})
    EXPECT_TRUE(contains(why(folder.write_train_config(), {{"data.valid", path}}), "ends in a blank")) << path;
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"job.output", "a /."}}), "ends in a blank"));
  EXPECT_EQ(why(folder.write_train_config(), {{"job.output", "a /b"}, {"data.valid", "a , b c"}}), "");
}

TEST(TrainConfig, SuggestsKeysForTheFirstUnknownOnesOnly) {
  JobFolder folder;
  std::string keys = "[train]\n";
  for (int i = 0; i < 40; ++i) keys += "step" + std::to_string(i) + " = 1\n";
  const std::string said = why(folder.write_train_config("", keys));
  EXPECT_TRUE(contains(said, "train.step0: unknown key; nearest: train.steps")) << said;
  EXPECT_TRUE(said.ends_with("train.step39: unknown key")) << said;
}

TEST(TrainConfig, LetsOptionsWinAndTheLastOfThem) {
  JobFolder folder;
  const auto config = load_train_config(folder.write_train_config(), {{"train.steps", "5"}, {"train.steps", "7"}});
  EXPECT_EQ(config.text("train.steps"), "7");
  EXPECT_EQ(config.values.at("train.steps").where, "option --train.steps");
}

TEST(TrainConfig, StartsACommentOnlyAtTheStartOfALineOrAfterABlank) {
  JobFolder folder;
  const auto config = load_train_config(
      folder.write_train_config("", "log_every = 3 # often\n# steps = 9\n  # more\n[job]\nname = a#b\t# tab\n"), {});
  EXPECT_EQ(config.text("train.log_every"), "3");
  EXPECT_EQ(config.text("job.name"), "a#b");
}

TEST(TrainConfig, TellsAllProblemsAtOnce) {
  JobFolder folder;
  const auto path = folder.write_train_config(
      "", "sequence_lenght = 3\nlog_every = often\nsteps = 11\nloss_average = token\n[modle]\nconfig = x\nnonsense\n[oops\n");
  const auto text = why(path);
  EXPECT_TRUE(contains(text, path + ":10: train.sequence_lenght: unknown key; nearest: data.sequence_length") ||
              contains(text, "sequence_length"))
      << text;
  EXPECT_TRUE(contains(text, path + ":11: train.log_every=often: must be an integer")) << text;
  EXPECT_TRUE(contains(text, "train.steps: is repeated, first in " + path + ":7")) << text;
  EXPECT_TRUE(contains(text, "train.loss_average=token: must be tokens or microbatches; nearest: tokens")) << text;
  EXPECT_TRUE(contains(text, "modle.config: unknown key; nearest: model.config")) << text;
  EXPECT_TRUE(contains(text, "\"nonsense\": must be name = value")) << text;
  EXPECT_TRUE(contains(text, "\"[oops\": must be [name]")) << text;
}

TEST(TrainConfig, TellsProblemsInTheOrderOfTheFile) {
  JobFolder folder;
  const auto text = why(folder.write_train_config("", "weight_decya = 1\nlog_every = often\nadam_beta = 1\n"));
  EXPECT_LT(text.find("train.weight_decya"), text.find("train.log_every")) << text;
  EXPECT_LT(text.find("train.log_every"), text.find("train.adam_beta")) << text;
}

TEST(TrainConfig, NamesTheKeyOfTheSameNameInAnotherSection) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.write_train_config("", "shuffle = true\n")), "nearest: data.shuffle"));
}

TEST(TrainConfig, RefusesWhatIsNotSupportedYetAndSaysSo) {
  JobFolder folder;
  const auto text = why(folder.write_train_config(
      "", "precision = fp16\nrecompute = full\n[parallel]\ntensor = 2\nsequence = 1\n[data]\nformat = packed\n"
          "[elastic]\nreplicas = 2\n[metrics]\ntensorboard = on\n"));
  for (const char* subject : {"train.precision=fp16", "train.recompute=full", "parallel.tensor=2",
                              "data.format=packed", "elastic.replicas=2", "metrics.tensorboard=on"})
    EXPECT_TRUE(contains(text, std::string(subject) + ": not supported yet")) << subject << "\n" << text;
  EXPECT_FALSE(contains(text, "parallel.sequence"));
}

TEST(TrainConfig, RefusesStepsTogetherWithEpochs) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.write_train_config("", "epochs = 2\n")), "train.epochs: contradicts train.steps"));
}

TEST(TrainConfig, NamesMissingFilesAndKeys) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.path("none.cfg")), "none.cfg"));
  const auto text = why(folder.write("t.cfg", "[train]\nsteps = 1\ndeepspeed_config = nope.json\nepochs =\n"));
  EXPECT_TRUE(contains(text, "model.config: is missing")) << text;
  EXPECT_TRUE(contains(text, "data.train: is missing")) << text;
  EXPECT_TRUE(contains(text, "nope.json")) << text;
  EXPECT_TRUE(contains(text, "train.epochs=: has no value")) << text;
}

TEST(TrainConfig, NamesAnUnknownOptionWithTheNearestKey) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"train.stepz", "3"}}),
                       "option --train.stepz: train.stepz: unknown key; nearest: train.steps"));
}

TEST(TrainConfig, RefusesOptionValuesThatAFileCouldNotHold) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"job.name", "a #b"}}), "comment"));
  EXPECT_TRUE(contains(why(folder.write_train_config(), {{"job.name", "a\nb"}}), "one line"));
}

TEST(TrainConfig, ComesBackEqualFromItsResolvedText) {
  JobFolder folder;
  const auto path = folder.write_train_config(
      R"({"train_batch_size": 4, "optimizer": {"type": "SGD", "params": {"lr": 1}}})",
      "[data]\nvalid = corpus.txt, more/*.txt\nshuffle = no\n[launch]\nhostfile = hosts\nmap-by = node\n");
  const auto config = load_train_config(path, {{"job.seed", "7"}});
  const auto json = folder.write("run/ds_config.json", config.ds_config_text);
  const auto again_path = folder.write("run/again.cfg", config.resolved_text(json));
  const auto again = load_train_config(again_path, {});
  ASSERT_EQ(again.values.size(), config.values.size());
  for (const auto& [key, value] : config.values)
    EXPECT_EQ(again.text(key), key == "train.deepspeed_config" ? json : value.text) << key;
  EXPECT_EQ(again.ds_config_text, config.ds_config_text);
  EXPECT_EQ(again.text("job.name"), "train");
  EXPECT_EQ(again.text("job.output"), folder.path("runs/train"));
}

TEST(TrainConfig, HasADescriptionAndAValidDefaultForEveryKey) {
  std::set<std::string> seen;
  const std::string help = train_options_help();
  for (const auto& key : train_config_keys()) {
    EXPECT_TRUE(seen.insert(key.key).second) << key.key;
    EXPECT_NE(key.meaning, "") << key.key;
    if (!key.fallback.empty()) {
      EXPECT_EQ(value_problem(key.type, key.allowed, key.fallback), "") << key.key;
    }
    EXPECT_TRUE(contains(help, "--" + key.key)) << key.key;
  }
  EXPECT_TRUE(contains(help, "optimizer steps in total"));
}

TEST(TrainConfig, SurvivesRandomChangesOfAFile) {
  JobFolder folder;
  const std::string original = read_file(folder.write_train_config("", "[job]\nname = x # c\nseed = 3\n"));
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::string text = original;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const size_t at = random() % text.size();
      if (random() % 2)
        text[at] = static_cast<char>(random() % 256);
      else
        text.insert(at, 1, "[]=#\n .\0"[random() % 8]);
    }
    const auto path = folder.write("fuzz.cfg", text);
    try {
      const auto config = load_train_config(path, {});
      const auto again = load_train_config(folder.write("again.cfg", config.resolved_text("")), {});
      EXPECT_EQ(again.resolved_text(""), config.resolved_text("")) << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

}  // namespace
}  // namespace ds
