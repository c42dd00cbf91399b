#include "engine/config/model_keys.h"

namespace ds {

using enum Answer;
using Keys = std::vector<DsKey>;

// clang-format off
static Keys common_keys() {
  return {
      {"model_type", "text", "", "", kSupported},
      {"vocab_size", "integer", "", ">= 1", kSupported},
      {"initializer_range", "number", "0.02", ">= 0", kSupported},
      {"tie_word_embeddings", "flag", "", "", kSupported},
      {"architectures", "list", "", "", kAccepted},
      {"transformers_version", "text", "", "", kAccepted},
      {"dtype", "text", "", "", kAccepted},
      {"torch_dtype", "text", "", "", kAccepted},
      {"use_cache", "flag", "", "", kAccepted},
      {"_name_or_path", "text", "", "", kAccepted},
      {"name_or_path", "text", "", "", kAccepted},
      {"_commit_hash", "text", "", "", kAccepted},
      {"_attn_implementation", "text", "", "", kAccepted},
      {"_attn_implementation_autoset", "flag", "", "", kAccepted},
      {"attn_implementation", "text", "", "", kAccepted},
      {"bos_token_id", "any", "", "", kAccepted},
      {"eos_token_id", "any", "", "", kAccepted},
      {"pad_token_id", "any", "", "", kAccepted},
      {"sep_token_id", "any", "", "", kAccepted},
      {"unk_token_id", "any", "", "", kAccepted},
      {"decoder_start_token_id", "any", "", "", kAccepted},
      {"tokenizer_class", "text", "", "", kAccepted},
      {"task_specific_params", "any", "", "", kAccepted},
      {"problem_type", "any", "", "", kAccepted},
      {"finetuning_task", "any", "", "", kAccepted},
      {"id2label", "any", "", "", kAccepted},
      {"label2id", "any", "", "", kAccepted},
      {"num_labels", "any", "", "", kAccepted},
      {"output_attentions", "flag", "false", "", kAccepted},
      {"output_hidden_states", "flag", "false", "", kAccepted},
      {"return_dict", "flag", "true", "", kAccepted},
      {"use_return_dict", "flag", "true", "", kAccepted},
      {"torchscript", "flag", "false", "", kAccepted},
      {"gradient_checkpointing", "flag", "false", "", kAccepted},
      {"is_decoder", "flag", "", "", kAccepted},
      {"is_encoder_decoder", "flag", "false", "", kLater},
      {"add_cross_attention", "flag", "false", "", kLater},
      {"cross_attention_hidden_size", "integer", "null", "", kLater},
      {"chunk_size_feed_forward", "integer", "0", "", kAccepted},
      {"pruned_heads", "any", "{}", "", kLater},
      {"quantization_config", "any", "null", "", kLater},
      {"auto_map", "any", "null", "", kLater},
  };
}

static Keys gpt2_keys() {
  return {
      {"n_positions", "integer", "", ">= 1", kSupported},
      {"n_ctx", "integer", "", ">= 1", kAccepted},
      {"n_embd", "integer", "", ">= 1", kSupported},
      {"n_layer", "integer", "", ">= 1", kSupported},
      {"n_head", "integer", "", ">= 1", kSupported},
      {"n_inner", "integer", "null", ">= 1", kSupported},
      {"activation_function", "word", "\"gelu_new\"", "gelu_new|gelu_pytorch_tanh|gelu|relu|silu|swish", kSupported},
      {"resid_pdrop", "number", "0.1", "[0, 1)", kSupported},
      {"embd_pdrop", "number", "0.1", "[0, 1)", kSupported},
      {"attn_pdrop", "number", "0.1", "[0, 1)", kSupported},
      {"layer_norm_epsilon", "number", "1e-5", "> 0", kSupported},
      {"scale_attn_weights", "flag", "true", "", kSupported},
      {"scale_attn_by_inverse_layer_idx", "flag", "false", "", kSupported},
      {"reorder_and_upcast_attn", "flag", "false", "", kLater},
      {"summary_type", "text", "", "", kAccepted},
      {"summary_use_proj", "flag", "", "", kAccepted},
      {"summary_activation", "any", "", "", kAccepted},
      {"summary_proj_to_labels", "flag", "", "", kAccepted},
      {"summary_first_dropout", "number", "", "", kAccepted},
  };
}

static Keys llama_like_keys() {
  return {
      {"hidden_size", "integer", "", ">= 1", kSupported},
      {"intermediate_size", "integer", "", ">= 1", kSupported},
      {"num_hidden_layers", "integer", "", ">= 1", kSupported},
      {"num_attention_heads", "integer", "", ">= 1", kSupported},
      {"num_key_value_heads", "integer", "", ">= 1", kSupported},
      {"head_dim", "integer", "null", ">= 1", kSupported},
      {"max_position_embeddings", "integer", "", ">= 1", kSupported},
      {"hidden_act", "word", "\"silu\"", "silu|swish", kSupported},
      {"rms_norm_eps", "number", "1e-6", "> 0", kSupported},
      {"rope_theta", "number", "10000.0", "> 0", kSupported},
      {"rope_scaling", "any", "null", "", kSupported},
      {"rope_parameters", "any", "null", "", kSupported},
      {"partial_rotary_factor", "number", "1.0", "", kLater},
      {"attention_dropout", "number", "0", "[0, 1)", kSupported},
      {"pretraining_tp", "integer", "1", "", kLater},
  };
}

static Keys llama_keys() {
  return {
      {"attention_bias", "flag", "false", "", kSupported},
      {"mlp_bias", "flag", "false", "", kSupported},
  };
}

static Keys qwen2_keys() {
  return {
      {"use_sliding_window", "flag", "false", "", kLater},
      {"sliding_window", "integer", "null", "", kAccepted},
      {"max_window_layers", "integer", "", "", kAccepted},
      {"layer_types", "list", "", "", kSupported},
      {"use_mrope", "flag", "false", "", kLater},
  };
}
// clang-format on

std::vector<DsKey> model_keys(Architecture architecture) {
  Keys all = common_keys();
  const auto add = [&](const Keys& keys) { all.insert(all.end(), keys.begin(), keys.end()); };
  if (architecture == Architecture::kGpt2) {
    add(gpt2_keys());
    return all;
  }
  add(llama_like_keys());
  add(architecture == Architecture::kLlama ? llama_keys() : qwen2_keys());
  return all;
}

}  // namespace ds
