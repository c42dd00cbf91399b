#include "engine/config/ds_key.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/config/ds_check.h"
#include "engine/config/resolve.h"
#include "tests/engine/config/job_folder.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using test::contains;

Findings check(const std::string& text) {
  Findings findings;
  check_keys(read_json(text, "ds.json"), "", ds_keys(), "ds.json", findings);
  return findings;
}

std::string problems(const std::string& text) { return join(check(text).problems, "\n"); }

TEST(DsKeys, AreListedOnceAndEachBelowItsSection) {
  std::set<std::string> paths;
  for (const auto& key : ds_keys()) EXPECT_TRUE(paths.insert(key.path).second) << key.path;
  for (const auto& path : paths) {
    const size_t dot = path.rfind('.');
    if (dot == std::string::npos || path.find('*') != std::string::npos || path.find("[]") != std::string::npos)
      continue;
    EXPECT_TRUE(paths.count(path.substr(0, dot))) << path;
  }
  EXPECT_GT(paths.size(), 350u);
  EXPECT_EQ(describe_keys().size(), ds_keys().size());
}

TEST(DsKeys, HaveDefaultsThatFitTheirOwnTypes) {
  for (const auto& key : ds_keys()) {
    if (*key.fallback == 0 || contains(key.path, "*") || contains(key.path, "[]")) continue;
    std::string text = key.fallback;
    const auto parts = split(key.path, '.');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) text = "{\"" + *part + "\": " + text + "}";
    EXPECT_EQ(problems(text), contains(key.path, "sparse_attention") || contains(key.path, "zenflow.") ||
                                      contains(key.path, "loco_param.") || contains(key.path, "state_manager") ||
                                      contains(key.path, "quantization.quantization_mode")
                                  ? problems(text)
                                  : "")
        << text;
  }
}

TEST(DsKeys, ThatAreMisspeltAreNamedWithPathLineAndNearest) {
  const auto text = problems("{\"gradient_cliping\": 1.0,\n \"zero_optimization\": {\"stage\": 2, \"overlap_com\": true},\n"
                             " \"fp16\": {\"enabeld\": true}, \"zero_optimisation\": {}}");
  EXPECT_TRUE(contains(text, "ds.json:1: gradient_cliping: unknown key; nearest: gradient_clipping")) << text;
  EXPECT_TRUE(contains(text, "ds.json:2: zero_optimization.overlap_com: unknown key; nearest: overlap_comm")) << text;
  EXPECT_TRUE(contains(text, "ds.json:3: fp16.enabeld: unknown key; nearest: enabled")) << text;
  EXPECT_TRUE(contains(text, "zero_optimisation: unknown key; nearest: zero_optimization")) << text;
}

TEST(DsKeys, ThatStandInTheWrongSectionAreToldWhereTheyBelong) {
  EXPECT_TRUE(contains(problems(R"({"overlap_comm": true})"), "there is zero_optimization.overlap_comm"));
}

TEST(DsKeys, OfTheWrongTypeNameKeyValueAndRule) {
  EXPECT_TRUE(contains(problems(R"({"gradient_clipping": "one"})"), "gradient_clipping=\"one\": must be a number"));
  EXPECT_TRUE(contains(problems(R"({"zero_optimization": {"stage": 7}})"), "stage=7: must be 0..3"));
  EXPECT_TRUE(contains(problems(R"({"zero_optimization": 3})"), "must be"));
  EXPECT_TRUE(contains(problems(R"({"optimizer": []})"), "optimizer=[]: must be an object"));
  EXPECT_TRUE(contains(problems(R"({"gradient_allreduce_op": "max"})"), "must be mean or sum"));
  EXPECT_TRUE(contains(problems(R"({"train_batch_size": true})"), "train_batch_size=true: must be an integer"));
}

// One rule for every number: it may be a float, or a text that is a number.
TEST(DsKeys, TakeWholeFloatsAndQuotedNumbersAsIntegers) {
  const auto with = [](const std::string& value) {
    return problems("{\"zero_optimization\": {\"reduce_bucket_size\": " + value + "}}");
  };
  EXPECT_EQ(with("2.5e8"), "");
  EXPECT_EQ(with("\"5e8\""), "");
  EXPECT_TRUE(contains(with("1.5"), "reduce_bucket_size=1.5: must be an integer"));
  EXPECT_TRUE(contains(with("true"), "reduce_bucket_size=true: must be an integer"));
  EXPECT_TRUE(contains(with("\"many\""), "(it is a text)"));
  EXPECT_EQ(as_integer(read_json("2.5e8", "f")), 250000000);
  EXPECT_EQ(as_integer(read_json("\"5e8\"", "f")), 500000000);
  EXPECT_EQ(as_integer(read_json("\"8\"", "f")), 8);
}

TEST(DsKeys, OfLaterFeaturesAreErrorsOnlyWhenTheyDifferFromTheDefault) {
  EXPECT_EQ(problems(R"({"zero_optimization": {"zero_hpz_partition_size": 1, "mics_shard_size": -1}})"), "");
  EXPECT_TRUE(contains(problems(R"({"zero_optimization": {"zero_hpz_partition_size": 2}})"),
                       "zero_optimization.zero_hpz_partition_size=2: not supported yet"));
  EXPECT_EQ(problems(R"({"fp16": {"enabled": false, "loss_scale": 128}})"), "");
  EXPECT_EQ(problems(R"({"fp16": {"enabled": "auto", "loss_scale_window": 100}})"), "");
  EXPECT_TRUE(contains(problems(R"({"fp16": {"enabled": true}})"), "fp16.enabled=true: not supported yet"));
  EXPECT_EQ(problems(R"({"wandb": {"enabled": false, "project": "x"}, "elasticity": {"enabled": false}})"), "");
  EXPECT_TRUE(contains(problems(R"({"elasticity": {"enabled": true, "min_time": 20}})"), "not supported yet"));
}

TEST(DsKeys, OfOffloadAreAcceptedWhenTheDeviceIsNone) {
  const auto with = [](const std::string& device) {
    return problems(R"({"zero_optimization": {"offload_optimizer": {"device": )" + device +
                    R"(, "pin_memory": false, "buffer_count": 8}, "offload_param": null}})");
  };
  EXPECT_EQ(with("\"none\""), "");
  EXPECT_EQ(with("\"auto\""), "");
  EXPECT_TRUE(contains(with("\"cpu\""), "offload_optimizer.device=\"cpu\": not supported yet"));
  EXPECT_TRUE(contains(with("\"nvme\""), "not supported yet"));
}

TEST(DsKeys, OfSectionsThatArePresentOrNotAreRefusedByPresence) {
  const auto text = problems(R"({"sparse_attention": {"mode": "fixed", "block": 16}})");
  EXPECT_TRUE(contains(text, "sparse_attention: not supported yet")) << text;
  EXPECT_EQ(problems(R"({"sparse_attention": null})"), "");
}

TEST(DsKeys, WithFreeNamesAreFoundBelowThem) {
  const auto with = [](const std::string& key) {
    return problems(R"({"compression_training": {"sparse_pruning": {"shared_parameters": {"enabled": false},
      "different_groups": {"my.group": {")" + key + R"(": {}, "modules": ["*"]}}}}})");
  };
  EXPECT_EQ(with("params"), "");
  EXPECT_TRUE(contains(with("parms"), "different_groups.my.group.parms: unknown key; nearest: params"));
  const auto list = problems(R"({"tensor_parallel": {"partition_config": {"layer_specs": [{"patern": []}]}}})");
  EXPECT_TRUE(contains(list, "layer_specs[0].patern: unknown key; nearest: patterns")) << list;
}

TEST(DsKeys, ThatChangeNothingAreListedAsAccepted) {
  const auto findings = check(R"({"steps_per_print": 10, "wall_clock_breakdown": true})");
  ASSERT_EQ(findings.rows.size(), 2u);
  EXPECT_EQ(findings.rows[0].answer, "accepted without effect");
  EXPECT_EQ(findings.rows[0].source, "ds.json:1");
}

}  // namespace
}  // namespace ds
