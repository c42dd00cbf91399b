#include "engine/config/model_config.h"

#include <filesystem>

#include "engine/config/ds_check.h"
#include "engine/config/model_keys.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using Kind = JsonNode::Kind;

class Reader {
 public:
  Reader(const JsonNode& json, const std::string& file) : json_(json), file_(file) {}

  ModelConfig read() {
    architecture();
    Findings findings;
    const auto keys = model_keys(out_.architecture);
    check_keys(json_, "", keys, file_, findings);
    problems_ = findings.problems;
    for (const auto& key : keys)
      if (*key.fallback) defaults_.emplace_back(key.path, read_json(key.fallback, "default"));
    out_.vocab_size = size("vocab_size");
    out_.initializer_range = number("initializer_range");
    if (out_.architecture == Architecture::kGpt2)
      gpt2();
    else
      llama_like();
    shapes();
    throw_if_any("", problems_);
    return out_;
  }

 private:
  void problem(const std::string& key, const std::string& why) {
    const JsonNode* node = json_.find(key);
    problems_.push_back(node == nullptr ? file_ + ": " + key + ": " + why
                                        : where(file_, *node) + ": " + key + "=" + node->written() + ": " + why);
  }

  void architecture() {
    static constexpr const char* kSupported = "supported: gpt2, llama, qwen2";
    const JsonNode* type = json_.find("model_type");
    const std::string name = type != nullptr && type->is(Kind::kText) ? type->text : "";
    if (name == "gpt2")
      out_.architecture = Architecture::kGpt2;
    else if (name == "llama")
      out_.architecture = Architecture::kLlama;
    else if (name == "qwen2")
      out_.architecture = Architecture::kQwen2;
    else
      throw Error(ErrorCode::kUsage, type == nullptr ? file_ + ": model_type: is missing; " + kSupported
                                                     : where(file_, *type) + ": model_type=" + type->written() +
                                                           ": architecture not supported; " + kSupported);
  }

  // The value in the file, or transformers' default; a null node when there is none.
  const JsonNode& value(const std::string& key) const {
    static const JsonNode kNone;
    if (const JsonNode* node = json_.find(key); node != nullptr && !node->is(Kind::kNull)) return *node;
    for (const auto& [name, node] : defaults_)
      if (name == key) return node;
    return kNone;
  }

  double number(const std::string& key) const { return as_number(value(key)).value_or(0); }
  bool flag(const std::string& key, bool otherwise = false) const { return as_flag(value(key)).value_or(otherwise); }

  // A size that must be there: config.json files always have them.
  int64_t size(const std::string& key) {
    const JsonNode* node = json_.find(key);
    if (node == nullptr || node->is(Kind::kNull)) {
      problem(key, "is missing");
      return 0;
    }
    return bounded(key, as_integer(*node).value_or(0));
  }

  int64_t size_or(const std::string& key, int64_t otherwise) {
    const auto given = as_integer(value(key));
    return given ? bounded(key, *given) : otherwise;
  }

  // Products of two sizes must stay far from overflow.
  int64_t bounded(const std::string& key, int64_t size) {
    constexpr int64_t kLargest = int64_t{1} << 28;
    if (size > kLargest) problem(key, "must be at most " + std::to_string(kLargest));
    return size > kLargest ? 0 : size;
  }

  static std::string activation_named(const std::string& word) {
    if (word == "gelu_pytorch_tanh") return "gelu_new";  // the same formula
    return word == "swish" ? "silu" : word;
  }

  void gpt2() {
    out_.hidden_size = size("n_embd");
    out_.num_layers = size("n_layer");
    out_.num_heads = out_.num_kv_heads = size("n_head");
    out_.max_positions = size("n_positions");
    out_.intermediate_size = size_or("n_inner", 4 * out_.hidden_size);
    out_.head_dim = out_.num_heads > 0 ? out_.hidden_size / out_.num_heads : 0;
    out_.norm_epsilon = number("layer_norm_epsilon");
    out_.activation = activation_named(value("activation_function").text);
    out_.embedding_dropout = number("embd_pdrop");
    out_.attention_dropout = number("attn_pdrop");
    out_.residual_dropout = number("resid_pdrop");
    out_.scale_attention = flag("scale_attn_weights");
    out_.scale_attention_by_layer = flag("scale_attn_by_inverse_layer_idx");
    out_.tie_embeddings = flag("tie_word_embeddings", true);
    out_.qkv_bias = out_.attention_output_bias = out_.mlp_bias = true;
  }

  void llama_like() {
    out_.hidden_size = size("hidden_size");
    out_.intermediate_size = size("intermediate_size");
    out_.num_layers = size("num_hidden_layers");
    out_.num_heads = size("num_attention_heads");
    out_.num_kv_heads = size_or("num_key_value_heads", out_.num_heads);
    out_.max_positions = size("max_position_embeddings");
    out_.head_dim = size_or("head_dim", out_.num_heads > 0 ? out_.hidden_size / out_.num_heads : 0);
    out_.norm_epsilon = number("rms_norm_eps");
    out_.activation = "silu";
    out_.attention_dropout = number("attention_dropout");
    out_.tie_embeddings = flag("tie_word_embeddings", false);
    const bool qwen2 = out_.architecture == Architecture::kQwen2;
    out_.qkv_bias = qwen2 || flag("attention_bias");
    out_.attention_output_bias = flag("attention_bias");
    out_.mlp_bias = flag("mlp_bias");
    out_.rope_theta = number("rope_theta");
    rope("rope_scaling");
    rope("rope_parameters");
    layer_types();
  }

  // Only plain rotary embeddings: null, or an object whose type is "default".
  void rope(const std::string& key) {
    const JsonNode* node = json_.find(key);
    if (node == nullptr || node->is(Kind::kNull)) return;
    const JsonNode* type = node->find("rope_type") != nullptr ? node->find("rope_type") : node->find("type");
    bool plain = node->is(Kind::kObject) && (type == nullptr || type->text == "default");
    for (const auto& name : node->keys)
      plain = plain && (name == "rope_type" || name == "type" || name == "rope_theta");
    if (!plain) problem(key, "not supported yet; supported: null, or rope_type \"default\"");
    if (const JsonNode* theta = node->find("rope_theta")) out_.rope_theta = as_number(*theta).value_or(0);
    if (out_.rope_theta <= 0) problem(key, "rope_theta must be > 0");
  }

  void layer_types() {
    const JsonNode* types = json_.find("layer_types");
    if (types == nullptr || out_.architecture != Architecture::kQwen2) return;
    for (const auto& type : types->items)
      if (type.text != "full_attention")
        return problem("layer_types", "not supported yet; supported: full_attention in every layer");
  }

  void shapes() {
    if (!problems_.empty()) return;
    const bool gpt2 = out_.architecture == Architecture::kGpt2;
    const std::string hidden = gpt2 ? "n_embd" : "hidden_size", heads = gpt2 ? "n_head" : "num_attention_heads";
    const auto number_text = [](int64_t value) { return std::to_string(value); };
    const bool own_head_dim = !gpt2 && !value("head_dim").is(Kind::kNull);
    if (!own_head_dim && out_.hidden_size % out_.num_heads != 0)
      problem(hidden, "must be a multiple of " + heads + "=" + number_text(out_.num_heads));
    if (out_.num_heads % out_.num_kv_heads != 0)
      problem(heads, "must be a multiple of num_key_value_heads=" + number_text(out_.num_kv_heads));
    if (!gpt2 && out_.head_dim % 2 != 0)
      problem(own_head_dim ? "head_dim" : hidden,
              "rotary embeddings need an even head size, not " + number_text(out_.head_dim));
  }

  const JsonNode& json_;
  const std::string& file_;
  ModelConfig out_;
  std::vector<std::string> problems_;
  std::vector<std::pair<std::string, JsonNode>> defaults_;
};

}  // namespace

ModelConfig load_model_config(const std::string& folder_or_file) {
  std::error_code error;
  std::string file = folder_or_file;
  if (fs::is_directory(folder_or_file, error)) file = (fs::path(folder_or_file) / "config.json").string();
  if (!fs::exists(file, error))
    throw Error(ErrorCode::kUsage, "no model configuration: " + file +
                                       (file == folder_or_file ? " does not exist (config.json or a folder with it)"
                                                               : " does not exist"));
  const std::string text = read_file(file);
  const JsonNode json = read_json(text, file);
  if (!json.is(Kind::kObject)) throw Error(ErrorCode::kUsage, file + ": must be an object");
  ModelConfig config = Reader(json, file).read();
  config.json_text = text;
  return config;
}

}  // namespace ds
