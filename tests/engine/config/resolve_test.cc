#include "engine/config/resolve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/engine/config/job_folder.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using test::complaint;
using test::contains;
using test::JobFolder;

const std::string kJson = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}}})";

Settings settings_of(const std::string& path, int ranks = 1) { return resolve(load_train_config(path, {}), ranks); }
std::string why(const std::string& path, int ranks = 1) {
  return complaint([&] { settings_of(path, ranks); });
}

TEST(Resolve, NeedsNoDeepSpeedFile) {
  JobFolder folder;
  const auto settings = settings_of(folder.write_train_config("", R"(precision = bf16
gradient_accumulation = 3
weight_decay = 0.1
adam_beta1 = 0.8
adam_beta2 = 0.9
adam_epsilon = 1e-7
max_grad_norm = 0.5
no_decay = bias, *norm*
lr_scheduler = cosine
warmup_ratio = 0.1
[model]
dropout = 0.2
)"), 2);
  EXPECT_EQ(settings.batch.train, 6);
  EXPECT_EQ(settings.batch.micro, 1);
  EXPECT_EQ(settings.batch.accumulation, 3);
  EXPECT_EQ(settings.precision, Precision::kBFloat16);
  EXPECT_EQ(settings.optimizer.type, OptimizerSettings::Type::kAdamW);
  EXPECT_EQ(settings.optimizer.learning_rate, 1e-3);
  EXPECT_EQ(settings.optimizer.weight_decay, 0.1);
  EXPECT_EQ(settings.optimizer.beta1, 0.8);
  EXPECT_EQ(settings.optimizer.beta2, 0.9);
  EXPECT_EQ(settings.optimizer.epsilon, 1e-7);
  EXPECT_EQ(settings.gradient_clipping, 0.5);
  EXPECT_EQ(settings.no_decay, (std::vector<std::string>{"bias", "*norm*"}));
  EXPECT_EQ(settings.schedule.type, "cosine");
  EXPECT_EQ(settings.dropout, 0.2);
  EXPECT_EQ(settings.parallel.data, 2);
  EXPECT_EQ(settings.mesh_order, ProcessMesh::default_order());
}

TEST(Resolve, GivesAbsolutePathsAndDocumentedDefaults) {
  JobFolder folder;
  const auto settings = settings_of(folder.write_train_config(kJson), 2);
  EXPECT_EQ(settings.model_folder, folder.path("model"));
  EXPECT_EQ(settings.output, folder.path("runs/train"));
  EXPECT_EQ(settings.data.train, std::vector<std::string>{folder.path("corpus.txt")});
  EXPECT_EQ(settings.data.sequence_length, 32);
  EXPECT_TRUE(settings.data.shuffle);
  EXPECT_EQ(settings.steps, 10);
  EXPECT_EQ(settings.log_every, 10);
  EXPECT_EQ(settings.checkpoint.every, 100);
  EXPECT_EQ(settings.checkpoint.resume, "auto");
  EXPECT_EQ(settings.seed, 1234u);
  EXPECT_EQ(settings.threads_per_rank, 0);
  EXPECT_FALSE(settings.dropout);
}

TEST(Resolve, MeansTheSameAfterARoundTripThroughTheResolvedText) {
  JobFolder folder;
  const auto config = load_train_config(folder.write_train_config(kJson, "[job]\nname = j\n"), {});
  const auto json = folder.write("run/ds.json", config.ds_config_text);
  const auto again = settings_of(folder.write("run/train.cfg", config.resolved_text(json)), 2);
  const auto first = resolve(config, 2);
  EXPECT_EQ(again.output, first.output);
  EXPECT_EQ(again.data.train, first.data.train);
  EXPECT_EQ(again.batch.accumulation, first.batch.accumulation);
  EXPECT_EQ(again.optimizer.learning_rate, first.optimizer.learning_rate);
}

TEST(Resolve, FillsAutoFromTrainAndFromTheModel) {
  JobFolder folder;
  const auto path = folder.write_train_config(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "bf16": {"enabled": "auto"},
    "fp16": {"enabled": "auto", "loss_scale_window": 100},
    "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto",
      "stage3_param_persistence_threshold": "auto", "sub_group_size": "auto"},
    "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto", "eps": "auto", "weight_decay": "auto"}},
    "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto", "warmup_min_lr": "auto",
      "warmup_max_lr": "auto", "warmup_num_steps": "auto"}}})",
      "micro_batch = 2\nlearning_rate = 3e-4\nweight_decay = 0.2\nprecision = bf16\nwarmup_steps = 4\nmax_grad_norm = 2\n");
  folder.write("model/config.json", R"({"model_type": "gpt2", "vocab_size": 257, "n_positions": 128, "n_embd": 1536,
    "n_layer": 2, "n_head": 4})");
  const auto report = resolve_with_report(load_train_config(path, {}), 2);
  EXPECT_EQ(join(report.findings.problems, "\n"), "");
  const Settings& settings = report.settings;
  EXPECT_EQ(settings.batch.train, 4);
  EXPECT_EQ(settings.precision, Precision::kBFloat16);
  EXPECT_EQ(settings.optimizer.learning_rate, 3e-4);
  EXPECT_EQ(settings.optimizer.weight_decay, 0.2);
  EXPECT_EQ(settings.gradient_clipping, 2);
  const auto value = [&](const std::string& key) {
    for (const auto& row : report.findings.rows)
      if (row.key == key) return row.value;
    return std::string("none");
  };
  EXPECT_EQ(value("zero_optimization.reduce_bucket_size"), "2359296");
  EXPECT_EQ(value("zero_optimization.stage3_prefetch_bucket_size"), "2123366");
  EXPECT_EQ(value("zero_optimization.stage3_param_persistence_threshold"), "15360");
  EXPECT_EQ(value("zero_optimization.sub_group_size"), "1000000000");
  EXPECT_EQ(value("scheduler.params.total_num_steps"), "10");
  EXPECT_EQ(value("scheduler.params.warmup_num_steps"), "4");
  EXPECT_EQ(value("train_batch_size"), "4");
  for (const auto& row : report.findings.rows) EXPECT_NE(row.value, "\"auto\"") << row.key;
}

TEST(Resolve, TellsEveryPairThatDisagreesAndNoOther) {
  JobFolder folder;
  const auto text = why(folder.write_train_config(R"({"train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 2, "gradient_clipping": 1.1, "zero_optimization": {"sub_group_size": "auto"},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}}})",
    "micro_batch = 2\ngradient_accumulation = 2\nmax_grad_norm = 1.0\nlearning_rate = 0.001\n"));
  EXPECT_TRUE(contains(text, "train_micro_batch_size_per_gpu=4")) << text;
  EXPECT_TRUE(contains(text, "train.micro_batch=2")) << text;
  EXPECT_TRUE(contains(text, "gradient_clipping=1.1")) << text;
  EXPECT_TRUE(contains(text, "zero_optimization.sub_group_size=auto")) << text;
  EXPECT_FALSE(contains(text, "gradient_accumulation")) << text;
  EXPECT_FALSE(contains(text, "params.lr")) << text;
}

TEST(Resolve, TakesAQuotedNumberAsTheNumber) {
  JobFolder folder;
  EXPECT_EQ(why(folder.write_train_config(R"({"train_batch_size": 8, "gradient_accumulation_steps": "8",
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}}})", "gradient_accumulation = 8\n")), "");
}

TEST(Resolve, RefusesContradictingPrecisionsAndSchedules) {
  JobFolder folder;
  const auto text = why(folder.write_train_config(R"({"train_batch_size": 8, "bf16": {"enabled": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}}, "scheduler": {"type": "WarmupLR", "params": {}}})",
    "precision = fp32\nlr_scheduler = cosine\n"));
  EXPECT_TRUE(contains(text, "bf16.enabled=true")) << text;
  EXPECT_TRUE(contains(text, "train.precision=fp32")) << text;
  EXPECT_TRUE(contains(text, "train.lr_scheduler=cosine")) << text;
}

TEST(Resolve, SolvesBatchesForTheRanksThereAre) {
  JobFolder folder;
  const auto path = folder.write_train_config(kJson);
  EXPECT_EQ(settings_of(path, 1).batch.micro, 8);
  EXPECT_EQ(settings_of(path, 4).batch.micro, 2);
  const auto text = why(path, 3);
  EXPECT_TRUE(contains(text, "train_batch_size=8")) << text;
  EXPECT_TRUE(contains(text, "data-parallel ranks=3")) << text;
  EXPECT_TRUE(contains(why(folder.write_train_config(kJson, "[parallel]\ndata = 2\n"), 4), "parallel.data=2"));
}

TEST(Resolve, ChecksDataBeforeARankStarts) {
  JobFolder folder;
  folder.write("tiny.txt", "short");
  folder.write("empty.txt", "");
  const auto with = [&](const std::string& data) {
    return complaint([&] { resolve(load_train_config(folder.write_train_config(kJson), {{"data.train", data}}), 1); });
  };
  EXPECT_TRUE(contains(with(folder.path("absent.txt")), "absent.txt: no such file"));
  EXPECT_TRUE(contains(with(folder.path("empty.txt")), "empty.txt: is empty"));
  const auto text = with(folder.path("tiny.txt"));
  EXPECT_TRUE(contains(text, "tiny.txt: 5 tokens are too few: data.sequence_length=32 needs at least 33")) << text;
  EXPECT_EQ(with(folder.write("exact.txt", std::string(33, 'x'))), "");
  folder.write_indexed("cut", {1, 2, 3});
  folder.write("cut.idx", "");
  EXPECT_TRUE(with(folder.path("cut.bin")).starts_with("data.train=" + folder.path("cut.bin") + " (option --data.train): "));
}

TEST(Resolve, ChecksTheModelBeforeARankStarts) {
  JobFolder folder;
  const auto with = [&](const test::Overrides& overrides) {
    return complaint([&] { resolve(load_train_config(folder.write_train_config(kJson), overrides), 1); });
  };
  const auto longer = with({{"data.sequence_length", "129"}});
  EXPECT_TRUE(contains(longer, "data.sequence_length=129")) << longer;
  EXPECT_TRUE(contains(longer, "positions=128")) << longer;
  EXPECT_TRUE(contains(with({{"model.config", folder.path("")}}), "config.json"));
  EXPECT_TRUE(contains(with({{"model.init", "weights"}}), "*.safetensors"));
  EXPECT_TRUE(contains(with({{"model.init", "weights"}, {"model.config", std::string(300, 'a')}}), "no model configuration"));
  folder.write("model/model.safetensors", "x");
  EXPECT_EQ(with({{"model.init", "weights"}}), "");
  EXPECT_EQ(with({{"model.config", folder.path("model/config.json")}}), "");
}

TEST(Resolve, ChecksTheCheckpointToResumeFrom) {
  JobFolder folder;
  const auto with = [&](const std::string& resume) {
    return complaint([&] { resolve(load_train_config(folder.write_train_config(kJson), {{"checkpoint.resume", resume}}), 1); });
  };
  EXPECT_TRUE(contains(with(folder.path("gone")), "gone: no such folder") || contains(with(folder.path("gone")), "gone"));
  EXPECT_TRUE(contains(with(folder.path("model")), "holds no checkpoint"));
  folder.write("old/checkpoints/latest", "step3\n");
  folder.write("old/checkpoints/step3/manifest.json", "{}");
  EXPECT_EQ(with(folder.path("old")), "");
  EXPECT_EQ(with(folder.path("old/checkpoints")), "");
  EXPECT_EQ(with(folder.path("old/checkpoints/step3")), "");
  EXPECT_EQ(with("never"), "");
}

// A folder without write permission, seen by somebody who is not root, who may write everywhere.
class ReadOnly {
 public:
  explicit ReadOnly(const std::string& folder) : folder_(folder) {
    fs::permissions(folder_, fs::perms(0555));
    EXPECT_TRUE(!root_ || ::setresuid(65534, 65534, 0) == 0);
  }
  ~ReadOnly() {
    EXPECT_TRUE(!root_ || ::setresuid(0, 0, 0) == 0);
    fs::permissions(folder_, fs::perms(0755));
  }

 private:
  const std::string folder_;
  const bool root_ = ::getuid() == 0;
};

TEST(Resolve, ChecksThatCheckpointsCanBeWrittenBeforeARankStarts) {
  JobFolder folder;
  const std::string config = folder.write_train_config(kJson);
  const auto with = [&](const std::string& output, const std::string& format = "none") {
    const test::Overrides overrides = {{"job.output", output}, {"checkpoint.export", format}};
    return complaint([&] { resolve(load_train_config(config, overrides), 1); });
  };
  folder.write("file/checkpoints", "");
  const std::string file = folder.path("file");
  EXPECT_EQ(with(file), "job.output=" + file + " (option --job.output): cannot write to " + file +
                            "/checkpoints: is no folder");
  folder.write("hf/hf", "");
  EXPECT_EQ(with(folder.path("hf")), "");
  EXPECT_TRUE(contains(with(folder.path("hf"), "hf"), folder.path("hf/hf") + ": is no folder"));
  folder.write("good/checkpoints/step1/x", "");
  EXPECT_EQ(with(folder.path("good")), "");
  fs::create_directories(folder.path("link"));
  fs::create_symlink(folder.path("gone"), folder.path("link/checkpoints"));
  EXPECT_TRUE(contains(with(folder.path("link")), "link/checkpoints: is no folder"));
  folder.write("read_only/checkpoints/step1/x", "");
  fs::permissions(folder.path(""), fs::perms(0755));
  const ReadOnly read_only(folder.path("read_only/checkpoints"));
  EXPECT_TRUE(contains(with(folder.path("read_only")), "read_only/checkpoints: Permission denied"));
}

TEST(Resolve, TurnsEpochsIntoStepsWhenTheSizeIsKnown) {
  JobFolder folder;
  const std::string text = "[model]\nconfig = model\n[data]\nsequence_length = 10\n[train]\nepochs = 1.5\n"
                           "learning_rate = 1\nmicro_batch = 7\n[data]\ntrain = ";
  // 1001 bytes, 100 windows of 10: 150 samples in batches of 14
  EXPECT_EQ(settings_of(folder.write("a.cfg", text + "corpus.txt\n"), 2).steps, 11);
  folder.write("c.jsonl", std::string(2000, 'x'));
  const auto unknown = settings_of(folder.write("b.cfg", text + "c.jsonl\n"), 2);
  EXPECT_EQ(unknown.steps, 0);
  EXPECT_EQ(unknown.epochs, 1.5);
}

TEST(Resolve, NeedsStepsOrEpochs) {
  JobFolder folder;
  EXPECT_TRUE(contains(why(folder.write("t.cfg", "[model]\nconfig = model\n[data]\ntrain = corpus.txt\n"
                                                 "[train]\nlearning_rate = 1\nmicro_batch = 1\n")),
                       "neither train.steps nor train.epochs"));
}

TEST(Resolve, TellsProblemsOfBothFilesAtOnce) {
  JobFolder folder;
  const auto text = why(folder.write_train_config(R"({"train_batch_size": 7, "zero_optimization": {"stage": 9}})",
                                                  "[model]\ninit = weights\n"), 2);
  for (const char* part : {"train_batch_size=7", "stage=9", "model.init=weights", "no learning rate"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(Resolve, TellsOneProblemForOneMistakeAndWhereItIs) {
  JobFolder folder;
  const auto with = [&](const std::string& json) { return why(folder.write_train_config(json)); };
  const std::string file = folder.path("ds_config.json"), line = file + ":1: ";
  const std::string optimizer = R"("optimizer": {"params": {"lr": 1}}})", batch = R"({"train_batch_size": 1, )";
  for (const char* wrong : {R"("twelve")", "12.5", "true", "[12]", "1e23"}) {
    const std::string text = with(R"({"train_batch_size": )" + std::string(wrong) + ", " + optimizer);
    EXPECT_TRUE(text.starts_with(line + "train_batch_size=")) << text;
    EXPECT_FALSE(contains(text, "\n")) << text;
  }
  EXPECT_EQ(with(R"({"train_batch_size": 1000000000000, )" + optimizer),
            line + "train_batch_size=1000000000000: must be 1..16777216");
  EXPECT_TRUE(contains(with(R"({"train_batch_size": null, )" + optimizer), file + ": neither train_batch_size nor"));
  EXPECT_TRUE(contains(with("{\n\"train_micro_batch_size_per_gpu\": 5,\n\"train_batch_size\": 12,\n" + optimizer),
                       file + ":3, " + file + ":2: train_batch_size=12 must be"));
  EXPECT_EQ(with(batch + R"("optimizer": {"params": {"lr": "fast"}}})"),
            line + R"(optimizer.params.lr="fast": must be a number (it is a text))");
  for (const char* wrong : {R"("optimizer": 5})", R"("optimizer": {"params": 5}})", R"("scheduler": {"type": "OneCicle"}})",
                            R"("scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "x"}}})", R"("scheduler": 5})"}) {
    const std::string text = with(batch + wrong);
    EXPECT_TRUE(text.starts_with(line) || text.starts_with("scheduler.type=")) << text;
    EXPECT_FALSE(contains(text, "\n")) << text;
  }
  EXPECT_TRUE(with(batch + R"("optimizer": {}})").starts_with(file + ": no learning rate"));
  EXPECT_TRUE(contains(with(batch + R"("scheduler": {"type": "OneCycle", "params": {"cycle_max_lr": 1}}, )" + optimizer),
                       line + "OneCycle.cycle_min_lr: is missing"));
}

TEST(Resolve, BoundsTheNumbersThatSizeThreadsAndWaits) {
  JobFolder folder;
  const auto with = [&](const std::string& key, const std::string& value) {
    return complaint([&] { resolve(load_train_config(folder.write_train_config(kJson), {{key, value}}), 1); });
  };
  EXPECT_EQ(with("train.threads_per_rank", "1024"), "");
  EXPECT_EQ(with("train.threads_per_rank", "1025"),
            "option --train.threads_per_rank: train.threads_per_rank=1025: must be auto or 1..1024");
  for (const char* key : {"train.micro_batch", "train.gradient_accumulation", "elastic.min_ranks", "elastic.max_ranks",
                          "elastic.max_restarts", "elastic.join_wait", "elastic.grow_after"})
    EXPECT_TRUE(contains(with(key, "4294967297"), std::string(key) + "=4294967297: must be ")) << with(key, "4294967297");
}

TEST(Resolve, SaysWhereEachValueComesFrom) {
  JobFolder folder;
  const auto path = folder.write_train_config(kJson, "max_grad_norm = 2\n");
  const auto rows = what_became(load_train_config(path, {}), 2);
  const auto source = [&](const std::string& key) {
    for (const auto& row : rows)
      if (row.key == key) return row.value + " from " + row.source;
    return std::string("none");
  };
  EXPECT_EQ(source("train_batch_size"), "8 from " + folder.path("ds_config.json") + ":1");
  EXPECT_EQ(source("gradient_clipping"), "2 from " + path + ":9");
  EXPECT_EQ(source("gradient_accumulation_steps"), "1 from solved for 2 data-parallel ranks");
  EXPECT_EQ(source("zero_optimization.stage"), "0 from DeepSpeed's default");
  EXPECT_EQ(source("optimizer.params.betas"), "[0.9, 0.999] from DeepSpeed's default");
  EXPECT_EQ(source("optimizer.params"), "none");
  EXPECT_EQ(source("train.log_every"), "10 from default");
}

}  // namespace
}  // namespace ds
