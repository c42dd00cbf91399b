// Keys of DeepSpeed's inference configurations (deepspeed.md 2.13, 2.14) that have no meaning of their own in a training
// file: known, so that a person who mixes the two is told so.
#include "engine/config/ds_key.h"

namespace ds {

using enum Answer;

// clang-format off
std::vector<DsKey> ds_inference_keys() {
  return {
      {"replace_with_kernel_inject", "flag", "false", "", kLater},
      {"kernel_inject", "flag", "false", "", kLater},
      {"dtype", "text", "\"fp16\"", "", kLater},
      {"enable_cuda_graph", "flag", "false", "", kLater},
      {"use_triton", "flag", "false", "", kLater},
      {"triton_autotune", "flag", "false", "", kLater},
      {"tp", "section", "", "present", kLater},
      {"tp.*", "any", "", "", kLater},
      {"zero", "section", "", "present", kLater},
      {"zero.*", "any", "", "", kLater},
      {"triangular_masking", "flag", "true", "", kLater},
      {"tm", "flag", "true", "", kLater},
      {"moe", "section", "", "present", kLater},
      {"moe.*", "any", "", "", kLater},
      {"keep_module_on_host", "flag", "false", "", kLater},
      {"quant", "section", "", "present", kLater},
      {"quant.*", "any", "", "", kLater},
      {"base_dir", "text", "\"\"", "", kLater},
      {"checkpoint_config", "section", "", "present", kLater},
      {"checkpoint_config.*", "any", "", "", kLater},
      {"save_mp_checkpoint_path", "text", "null", "", kLater},
      {"set_empty_params", "flag", "false", "", kLater},
      {"return_tuple", "flag", "true", "", kLater},
      {"training_mp_size", "integer", "1", "", kLater},
      {"replace_method", "text", "\"auto\"", "", kLater},
      {"injection_policy", "any", "null", "", kLater},
      {"injection_dict", "any", "null", "", kLater},
      {"injection_policy_tuple", "any", "null", "", kLater},
      {"max_out_tokens", "integer", "1024", "", kLater},
      {"max_tokens", "integer", "1024", "", kLater},
      {"min_out_tokens", "integer", "1", "", kLater},
      {"min_tokens", "integer", "1", "", kLater},
      {"transposed_mode", "flag", "false", "", kLater},
      {"mp_size", "integer", "1", "", kLater},
      {"mpu", "any", "null", "", kLater},
      {"ep_size", "integer", "1", "", kLater},
      {"ep_group", "any", "null", "", kLater},
      {"ep_mp_group", "any", "null", "", kLater},
      {"moe_experts", "any", "null", "", kLater},
      {"moe_type", "text", "\"standard\"", "", kLater},
      {"state_manager", "section", "", "present", kLater},
      {"state_manager.max_tracked_sequences", "integer", "2048", "", kLater},
      {"state_manager.max_ragged_batch_size", "integer", "768", "", kLater},
      {"state_manager.max_ragged_sequence_count", "integer", "512", "", kLater},
      {"state_manager.max_context", "integer", "8192", "", kLater},
      {"state_manager.memory_config", "section", "", "", kLater},
      {"state_manager.memory_config.mode", "word", "\"reserve\"", "reserve|allocate", kLater},
      {"state_manager.memory_config.size", "integer", "1000000000", "", kLater},
      {"state_manager.offload", "flag", "false", "", kLater},
      {"quantization", "section", "", "present", kLater},
      {"quantization.quantization_mode", "text", "null", "", kLater},
  };
}
// clang-format on

}  // namespace ds
