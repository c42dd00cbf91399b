// A Hugging Face config.json -> the values that shape our models. No torch.
#pragma once

#include <cstdint>
#include <string>

namespace ds {

enum class Architecture { kGpt2, kLlama, kQwen2 };

struct ModelConfig {
  Architecture architecture = Architecture::kGpt2;
  int64_t vocab_size = 0, hidden_size = 0, num_layers = 0, num_heads = 0, num_kv_heads = 0, head_dim = 0;
  int64_t intermediate_size = 0;   // MLP width
  int64_t max_positions = 0;       // longest sequence
  double norm_epsilon = 1e-5;
  double rope_theta = 10000.0;     // llama, qwen2
  bool tie_embeddings = false;
  bool qkv_bias = false;           // qwen2 (and llama attention_bias)
  bool attention_output_bias = false;  // llama attention_bias
  bool mlp_bias = false;           // llama mlp_bias
  std::string activation = "gelu_new";  // gelu_new | gelu | relu | silu
  double initializer_range = 0.02;
  double embedding_dropout = 0, attention_dropout = 0, residual_dropout = 0;
  bool scale_attention = true;                    // gpt2 scale_attn_weights
  bool scale_attention_by_layer = false;          // gpt2 scale_attn_by_inverse_layer_idx
  std::string json_text;           // the file as read, for export
};

// Reads folder/config.json (or the file itself). Strict: an architecture, or a value that changes the numbers and is
// not implemented, is a kUsage Error naming file, key, value and what is supported; all problems at once.
ModelConfig load_model_config(const std::string& folder_or_file);

}  // namespace ds
