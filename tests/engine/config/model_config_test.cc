#include "engine/config/model_config.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/config/job_folder.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using test::complaint;
using test::contains;
using test::JobFolder;

const std::string kLlama = R"("model_type": "llama", "vocab_size": 260, "hidden_size": 64, "intermediate_size": 172,
  "num_hidden_layers": 4, "num_attention_heads": 4, "max_position_embeddings": 128)";
const std::string kGpt2 =
    R"("model_type": "gpt2", "vocab_size": 257, "n_positions": 128, "n_embd": 64, "n_layer": 2, "n_head": 4)";

ModelConfig load(const std::string& members) {
  JobFolder folder;
  folder.write("m/config.json", "{" + members + "}");
  return load_model_config(folder.path("m"));
}
std::string why(const std::string& members) {
  return complaint([&] { load(members); });
}
std::string qwen2(const std::string& more) {
  std::string text = kLlama;
  text.replace(text.find("llama"), 5, "qwen2");
  return text + more;
}

TEST(ModelConfig, ReadsGpt2WithItsDefaults) {
  const auto config = load(kGpt2);
  EXPECT_EQ(config.architecture, Architecture::kGpt2);
  EXPECT_EQ(config.intermediate_size, 256);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_TRUE(config.tie_embeddings);
  EXPECT_EQ(config.activation, "gelu_new");
  EXPECT_EQ(config.attention_dropout, 0.1);
  EXPECT_EQ(config.norm_epsilon, 1e-5);
  EXPECT_EQ(load(kGpt2 + R"(, "n_inner": null, "attn_pdrop": 0.0)").intermediate_size, 256);
  EXPECT_EQ(load(kGpt2 + R"(, "n_inner": 100)").intermediate_size, 100);
}

TEST(ModelConfig, ReadsLlamaWithItsDefaults) {
  const auto config = load(kLlama);
  EXPECT_EQ(config.num_kv_heads, 4);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_FALSE(config.tie_embeddings);
  EXPECT_FALSE(config.qkv_bias);
  EXPECT_EQ(config.rope_theta, 10000);
  EXPECT_EQ(config.norm_epsilon, 1e-6);
  const auto biased = load(kLlama + R"(, "attention_bias": true, "mlp_bias": true, "head_dim": 32, "num_key_value_heads": 2)");
  EXPECT_TRUE(biased.qkv_bias && biased.attention_output_bias && biased.mlp_bias);
  EXPECT_EQ(biased.head_dim, 32);
  EXPECT_EQ(biased.num_kv_heads, 2);
}

TEST(ModelConfig, GivesQwen2ItsBiases) {
  const auto config = load(qwen2(R"(, "rope_theta": 1e6, "tie_word_embeddings": true, "sliding_window": 4096,
    "use_sliding_window": false, "layer_types": ["full_attention"])"));
  EXPECT_TRUE(config.qkv_bias);
  EXPECT_FALSE(config.attention_output_bias);
  EXPECT_TRUE(config.tie_embeddings);
  EXPECT_EQ(config.rope_theta, 1e6);
}

TEST(ModelConfig, TakesPlainRotaryParametersOfNewerFiles) {
  EXPECT_EQ(load(kLlama + R"(, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5})").rope_theta, 5e5);
  EXPECT_EQ(why(kLlama + R"(, "rope_scaling": {"type": "default"})"), "");
}

TEST(ModelConfig, RefusesValuesThatChangeTheNumbersAndAreNotThere) {
  const auto refused = [](const std::string& members, const std::string& subject) {
    const auto text = why(members);
    EXPECT_TRUE(contains(text, subject)) << subject << "\n" << text;
    EXPECT_TRUE(contains(text, "config.json:")) << text;
  };
  refused(kLlama + R"(, "rope_scaling": {"rope_type": "llama3", "factor": 8})", "rope_scaling={");
  refused(kLlama + R"(, "hidden_act": "gelu")", "hidden_act=\"gelu\": must be silu");
  refused(kLlama + R"(, "pretraining_tp": 2)", "pretraining_tp=2: not supported yet");
  refused(kLlama + R"(, "quantization_config": {"bits": 4})", "quantization_config");
  refused(kGpt2 + R"(, "reorder_and_upcast_attn": true)", "reorder_and_upcast_attn=true: not supported yet");
  refused(kGpt2 + R"(, "add_cross_attention": true)", "add_cross_attention=true: not supported yet");
  refused(kGpt2 + R"(, "activation_function": "tanh")", "activation_function=\"tanh\"");
  refused(qwen2(R"(, "use_sliding_window": true, "sliding_window": 128)"), "use_sliding_window=true: not supported yet");
  refused(qwen2(R"(, "layer_types": ["full_attention", "sliding_attention"])"), "layer_types");
}

TEST(ModelConfig, RefusesShapesThatDoNotDivide) {
  EXPECT_TRUE(contains(why(kLlama + R"(, "num_key_value_heads": 3)"), "num_key_value_heads=3"));
  JobFolder folder;
  std::string odd = kGpt2;
  odd.replace(odd.find("\"n_head\": 4"), 11, "\"n_head\": 5");
  EXPECT_TRUE(contains(why(odd), "n_embd=64: must be a multiple of n_head=5"));
  EXPECT_TRUE(contains(why(kLlama + R"(, "head_dim": 15)"), "even head size"));
  EXPECT_TRUE(contains(why(kGpt2 + R"(, "n_inner": 0)"), "n_inner=0: must be >= 1"));
}

TEST(ModelConfig, NamesWhatIsMissingOrUnknown) {
  EXPECT_TRUE(contains(why(R"("model_type": "weirdnet")"), "model_type=\"weirdnet\": architecture not supported"));
  EXPECT_TRUE(contains(why(R"("vocab_size": 3)"), "model_type: is missing"));
  EXPECT_TRUE(contains(why(R"("model_type": "gpt2", "vocab_size": 3)"), "n_embd: is missing"));
  EXPECT_TRUE(contains(why(kGpt2 + R"(, "n_heads": 4)"), "n_heads: unknown key; nearest: n_head"));
  JobFolder folder;
  EXPECT_TRUE(contains(complaint([&] { load_model_config(folder.path("")); }), "config.json"));
  EXPECT_TRUE(contains(complaint([&] { load_model_config(folder.path("gone")); }), "gone"));
}

TEST(ModelConfig, KeepsTheTextForExport) {
  JobFolder folder;
  EXPECT_EQ(load_model_config(folder.path("model/config.json")).json_text, read_file(folder.path("model/config.json")));
}

TEST(ModelConfig, SurvivesRandomChangesOfAFile) {
  std::mt19937 random(4);
  JobFolder folder;
  const char* values[] = {"null", "true", "-1", "1e300", "[]", "{}", "\"x\"", "0", "9223372036854775807"};
  for (const auto& base : {kGpt2 + R"(, "n_inner": 3)", kLlama + R"(, "head_dim": 4, "rope_scaling": null)"})
    for (int round = 0; round < 200; ++round) {
      std::string text = base;
      const size_t colon = text.find(": ", random() % (text.size() - 20));
      if (colon != std::string::npos)
        text.replace(colon + 2, text.find_first_of(",}", colon) - colon - 2, values[random() % 9]);
      if (random() % 4 == 0) text[random() % text.size()] = static_cast<char>(random() % 128);
      try {
        folder.write("m/config.json", "{" + text + "}");
        load_model_config(folder.path("m"));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUsage);
      }
    }
}

}  // namespace
}  // namespace ds
