#include "engine/config/ds_config.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/config/job_folder.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using test::complaint;
using test::contains;
using Type = OptimizerSettings::Type;

Settings settings_of(const std::string& text, int ranks = 1) { return resolve_ds_config(text, "ds.json", ranks); }
std::string why(const std::string& text, int ranks = 1) {
  return complaint([&] { settings_of(text, ranks); });
}
std::string with_optimizer(const std::string& optimizer) {
  return R"({"train_batch_size": 8, "optimizer": )" + optimizer + "}";
}
OptimizerSettings optimizer_of(const std::string& optimizer) { return settings_of(with_optimizer(optimizer)).optimizer; }

TEST(DsConfig, HasDeepSpeedsDefaults) {
  const auto settings = settings_of(with_optimizer(R"({"type": "AdamW", "params": {"lr": 0.001}})"));
  EXPECT_EQ(settings.gradient_clipping, 1.0);
  EXPECT_EQ(settings.zero.stage, 0);
  EXPECT_EQ(settings.precision, Precision::kFloat32);
  EXPECT_EQ(settings.gradient_allreduce_op, "mean");
  EXPECT_FALSE(settings.grad_accum_dtype);
  EXPECT_FALSE(settings.communication_dtype);
  EXPECT_EQ(settings.optimizer.beta1, 0.9);
  EXPECT_EQ(settings.optimizer.beta2, 0.999);
  EXPECT_EQ(settings.optimizer.epsilon, 1e-8);
  EXPECT_EQ(settings.optimizer.weight_decay, 0);
  EXPECT_TRUE(settings.schedule.type.empty());
}

TEST(DsConfig, ReadsTheKeysThatChangeNumbers) {
  const auto settings = settings_of(R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 2,
    "gradient_clipping": 0.0, "bfloat16": {"enabled": true, "check_grad_overflow": false},
    "zero_optimization": {"stage": 3, "reduce_bucket_size": 5e8, "overlap_comm": true},
    "communication_data_type": "fp32", "data_types": {"grad_accum_dtype": "bf16"}, "gradient_allreduce_op": "sum",
    "prescale_gradients": true, "gradient_predivide_factor": 2.0,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "betas": [0.8, 0.95], "eps": 1e-6, "weight_decay": 0.1}}})", 2);
  EXPECT_EQ(settings.batch.accumulation, 2);
  EXPECT_EQ(settings.gradient_clipping, 0);
  EXPECT_EQ(settings.precision, Precision::kBFloat16);
  EXPECT_EQ(settings.zero.stage, 3);
  EXPECT_FALSE(settings.check_grad_overflow);
  EXPECT_EQ(settings.communication_dtype, Precision::kFloat32);
  EXPECT_EQ(settings.grad_accum_dtype, Precision::kBFloat16);
  EXPECT_EQ(settings.gradient_allreduce_op, "sum");
  EXPECT_EQ(settings.optimizer.beta1, 0.8);
  EXPECT_EQ(settings.optimizer.beta2, 0.95);
  EXPECT_EQ(settings.optimizer.weight_decay, 0.1);
  ASSERT_FALSE(settings.notes.empty());
  EXPECT_TRUE(contains(settings.notes[0], "prescale_gradients")) << settings.notes[0];
}

TEST(DsConfig, TakesTrueForStageOne) {
  const std::string rest = R"(, "train_batch_size": 1, "optimizer": {"type": "SGD", "params": {"lr": 1}}})";
  EXPECT_EQ(settings_of("{\"zero_optimization\": true" + rest).zero.stage, 1);
  EXPECT_EQ(settings_of("{\"zero_optimization\": false" + rest).zero.stage, 0);
}

TEST(DsConfig, DecouplesTheDecayOfAdamUnlessToldNot) {
  EXPECT_EQ(optimizer_of(R"({"type": "Adam", "params": {"lr": 1}})").type, Type::kAdamW);
  EXPECT_EQ(optimizer_of(R"({"type": "adam", "params": {"lr": 1, "adam_w_mode": false}})").type, Type::kAdam);
  EXPECT_EQ(optimizer_of(R"({"type": "AdamW", "params": {"lr": 1, "adam_w_mode": false}})").type, Type::kAdamW);
  const auto torchs = optimizer_of(R"({"type": "Adam", "params": {"lr": 1, "torch_adam": true}})");
  EXPECT_EQ(torchs.type, Type::kAdamW);
  EXPECT_EQ(torchs.weight_decay, 0.01) << "torch.optim.AdamW's own default";
  const auto l2 = optimizer_of(R"({"type": "Adam", "params": {"lr": 1, "torch_adam": true, "adam_w_mode": false}})");
  EXPECT_EQ(l2.type, Type::kAdam);
  EXPECT_EQ(l2.weight_decay, 0);
}

TEST(DsConfig, ReadsSgd) {
  const auto sgd = optimizer_of(R"({"type": "SGD", "params": {"lr": 0.05, "momentum": 0.9, "nesterov": true}})");
  EXPECT_EQ(sgd.type, Type::kSgd);
  EXPECT_EQ(sgd.learning_rate, 0.05);
  EXPECT_EQ(sgd.momentum, 0.9);
  EXPECT_TRUE(sgd.nesterov);
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "SGD", "params": {"lr": 1, "nesterov": true}})")), "momentum > 0"));
}

TEST(DsConfig, RefusesUnknownAndLaterOptimizersAndTheirParameters) {
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "Adan", "params": {}})")), "Adan"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "Adan", "params": {}})")), "nearest: Adam"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "Lion", "params": {"lr": 1}})")), "not supported yet"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "AdamW", "params": {"lr": 1, "beta": [0, 0]}})")),
                       "optimizer.params.beta: unknown key; nearest: betas"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "AdamW", "params": {"lr": 1, "amsgrad": true}})")),
                       "optimizer.params.amsgrad=true: not supported yet"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "AdamW", "params": {"lr": 1, "betas": [0.9]}})")), "two numbers"));
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "AdamW", "params": {"lr": 1, "max_grad_norm": 1.0}})")),
                       "use gradient_clipping"));
}

TEST(DsConfig, NeedsALearningRateFromSomewhere) {
  EXPECT_TRUE(contains(why(with_optimizer(R"({"type": "AdamW"})")), "train.learning_rate"));
  EXPECT_TRUE(contains(why(R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}})"),
                       "no learning rate"));
  EXPECT_EQ(why(R"({"train_batch_size": 1, "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": 0.1}}})"), "");
}

TEST(DsConfig, RefusesBothSixteenBitTypesAndNamesBoth) {
  const auto text = why(R"({"train_batch_size": 1, "fp16": {"enabled": true}, "bf16": {"enabled": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 1}}})");
  EXPECT_TRUE(contains(text, "fp16 and bf16 exclude each other")) << text;
}

TEST(DsConfig, RefusesFp16ForNow) {
  EXPECT_TRUE(contains(why(R"({"train_batch_size": 1, "fp16": {"enabled": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 1}}})"), "fp16.enabled=true: not supported yet"));
}

TEST(DsConfig, RefusesTypesThatDifferFromTheWeights) {
  EXPECT_TRUE(contains(why(R"({"train_batch_size": 1, "data_types": {"grad_accum_dtype": "bf16", "param_dtype": "bf16"},
    "optimizer": {"type": "AdamW", "params": {"lr": 1}}})"), "data_types.param_dtype"));
}

TEST(DsConfig, ReadsSchedulersWithTheirParameters) {
  const auto with = [](const std::string& scheduler) {
    return R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1}}, "scheduler": )" + scheduler + "}";
  };
  const auto settings = settings_of(with(R"({"type": "WarmupDecayLR", "params": {"total_num_steps": 24,
    "warmup_max_lr": 0.002, "warmup_num_steps": "6", "warmup_type": "linear"}})"));
  EXPECT_EQ(settings.schedule.type, "WarmupDecayLR");
  EXPECT_EQ(settings.schedule.numbers.size(), 3u);
  EXPECT_EQ(settings.schedule.words.front().second, "linear");
  EXPECT_TRUE(contains(why(with(R"({"type": "WarmupLR", "params": {"warmup_steps": 3}})")),
                       "scheduler.params.warmup_steps: unknown key; nearest: warmup_"));
  EXPECT_TRUE(contains(why(with(R"({"type": "WarmupLR", "params": {"warmup_num_steps": 0}})")), "must be >= 1"));
  EXPECT_TRUE(contains(why(with(R"({"type": "WarmpLR"})")), "nearest: WarmupLR"));
  EXPECT_TRUE(contains(why(with(R"({"type": "StepLR"})")), "not supported yet"));
  EXPECT_TRUE(contains(why(with(R"({"type": "OneCycle", "params": {"cycle_max_lr": 1}})")), "cycle_min_lr"));
}

TEST(DsConfig, TellsWhatEachProblemIsInOneError) {
  const auto text = why(R"({"train_batch_size": 7, "gradient_cliping": 1, "fp16": {"enabeld": true},
    "optimizer": {"type": "Adan"}})", 2);
  for (const char* part : {"train_batch_size=7", "gradient_cliping", "enabeld", "Adan"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

TEST(DsConfig, ReportsBrokenTextWithItsPlace) {
  EXPECT_TRUE(contains(why("{\"train_batch_size\": 8,\n \"optimizer\": {\"type\": \"AdamW\" \"params\": {}}}"), "ds.json:2:"));
  EXPECT_TRUE(contains(why("[1]"), "must be an object"));
}

TEST(DsConfig, SurvivesRandomChangesOfAFile) {
  const std::string original = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "overlap_comm": true},
    "optimizer": {"type": "Adam", "params": {"lr": 0.001, "betas": [0.9, 0.999], "eps": 1e-8}}, "bf16": {"enabled": true},
    "scheduler": {"type": "OneCycle", "params": {"cycle_min_lr": 0.1, "cycle_max_lr": 1, "cycle_first_step_size": 8}}})";
  const char* values[] = {"null", "true", "-1", "1e300", "\"auto\"", "[]", "{}", "\"x\"", "0", "[[1]]"};
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::string text = original;
    const size_t colon = text.find(": ", random() % (text.size() - 40));
    if (colon != std::string::npos && random() % 2) {
      text.replace(colon + 2, text.find_first_of(",}]", colon) - colon - 2, values[random() % 10]);
    } else {
      text[random() % text.size()] = static_cast<char>(random() % 128);
    }
    try {
      settings_of(text, 1 + static_cast<int>(random() % 3));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
}

}  // namespace
}  // namespace ds
