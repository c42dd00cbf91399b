// Keys of the top level and of precision (deepspeed.md 2.1, 2.2).
#include "engine/config/ds_key.h"

namespace ds {

using enum Answer;

// clang-format off
std::vector<DsKey> ds_top_keys() {
  return {
      {"train_batch_size", "integer", "", "1..16777216", kSupported},
      {"train_micro_batch_size_per_gpu", "integer", "", "1..16777216", kSupported},
      {"gradient_accumulation_steps", "integer", "", "1..16777216", kSupported},
      {"managed_gradient_accumulation", "flag", "true", "", kLater},
      {"steps_per_print", "integer", "", "", kAccepted},
      {"dump_state", "flag", "false", "", kAccepted},
      {"disable_allgather", "flag", "false", "", kAccepted},
      {"communication_data_type", "word", "null", "fp32|bf16|fp16|float32|bfloat16|float16|bfp16", kSupported},
      {"seq_parallel_communication_data_type", "word", "\"fp32\"", "fp32|bf16|fp16|bfp16", kAccepted},
      {"prescale_gradients", "flag", "false", "", kAccepted},
      {"gradient_predivide_factor", "number", "1.0", "> 0", kAccepted},
      {"gradient_allreduce_op", "word", "\"mean\"", "mean|sum", kSupported},
      {"sparse_gradients", "flag", "false", "", kAccepted},
      {"gradient_clipping", "number", "1.0", ">= 0", kSupported},
      {"graph_harvesting", "flag", "false", "", kAccepted},
      {"zero_allow_untested_optimizer", "flag", "false", "", kAccepted},
      {"zero_force_ds_cpu_optimizer", "flag", "true", "", kAccepted},
      {"wall_clock_breakdown", "flag", "false", "", kAccepted},
      {"memory_breakdown", "flag", "false", "", kAccepted},
      {"dataloader_drop_last", "flag", "false", "", kAccepted},
      {"use_data_before_expert_parallelism", "flag", "false", "", kLater},
      {"use_data_before_expert_parallelism_", "flag", "false", "", kLater},
      {"data_parallel_size", "integer", "", ">= 1", kSupported},
      {"sequence_parallel_size", "integer", "1", ">= 1", kLater},
      {"log_level", "text", "", "", kAccepted},
      {"vocabulary_size", "integer", "", ">= 1", kAccepted},

      {"optimizer", "section", "", "", kSupported},
      {"optimizer.type", "text", "", "", kSupported},
      {"optimizer.params", "any", "", "", kSupported},
      {"optimizer.legacy_fusion", "flag", "false", "", kAccepted},
      {"scheduler", "section", "", "", kSupported},
      {"scheduler.type", "text", "", "", kSupported},
      {"scheduler.params", "any", "", "", kSupported},

      {"data_types", "section", "", "", kSupported},
      {"data_types.grad_accum_dtype", "word", "null", "fp32|bf16|fp16|float32|bfloat16|float16", kSupported},
      {"data_types.param_dtype", "word", "null", "fp32|bf16|fp16|float32|bfloat16|float16", kSupported},
      {"data_types.buffer_dtype", "word", "null", "fp32|bf16|fp16|float32|bfloat16|float16", kSupported},

      {"amp", "section", "", "enabled", kLater},
      {"amp.enabled", "flag", "false", "", kLater},
      {"amp.*", "any", "", "", kLater},
      {"timers", "section", "", "", kAccepted},
      {"timers.throughput", "section", "", "", kAccepted},
      {"timers.throughput.enabled", "flag", "true", "", kAccepted},
      {"timers.throughput.synchronized", "flag", "true", "", kAccepted},

      {"fp16", "section", "", "enabled", kLater},
      {"fp16.enabled", "flag", "false", "", kLater},
      {"fp16.auto_cast", "flag", "false", "", kLater},
      {"fp16.loss_scale", "number", "0", ">= 0", kLater},
      {"fp16.initial_scale_power", "integer", "16", ">= 0", kLater},
      {"fp16.loss_scale_window", "number", "1000", "> 0", kLater},
      {"fp16.hysteresis", "integer", "2", ">= 1", kLater},
      {"fp16.consecutive_hysteresis", "flag", "false", "", kLater},
      {"fp16.min_loss_scale", "number", "1", ">= 0", kLater},
      {"fp16.fp16_master_weights_and_grads", "flag", "false", "", kLater},
      {"bf16", "section", "", "", kSupported},
      {"bf16.enabled", "flag", "false", "", kSupported},
      {"bf16.immediate_grad_update", "flag", "false", "", kAccepted},
      {"bf16.check_grad_overflow", "flag", "true", "", kSupported},
      {"bf16.bf16_master_weights_and_grads", "flag", "false", "", kLater},
      {"bf16.bf16_optimizer_states", "flag", "false", "", kLater},
      {"torch_autocast", "section", "", "enabled", kLater},
      {"torch_autocast.enabled", "flag", "false", "", kLater},
      {"torch_autocast.dtype", "text", "", "", kLater},
      {"torch_autocast.lower_precision_safe_modules", "list", "null", "", kLater},
  };
}
// clang-format on

}  // namespace ds
