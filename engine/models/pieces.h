// Pieces that the architectures share: attention, rotary positions, norms, dropout, the loss.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "engine/models/layer.h"

namespace ds {

// Which mask: dropout of one site in one layer. Masks are Philox of (seed, step, layer, site, global sample, element).
struct DropoutSite {
  int64_t layer = 0;
  const char* site = "";
  double p = 0;
};
// x: [rows, ...] with rows as in the context. Returns x itself when p is 0 or outside training.
at::Tensor dropout(const at::Tensor& x, const DropoutSite& site, const StepContext& context);

// Causal attention. q [rows, heads, length, head_dim]; k, v with heads / groups heads (GQA). Flash kernel when there is
// no dropout; else scores, softmax and the counted mask (probabilities are dropped, as transformers does).
struct AttentionOptions {
  double scale = 1.0;
  DropoutSite dropout;
};
at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const AttentionOptions& options, const StepContext& context);

// Cosine and sine tables [length, head_dim] of rotary position embedding (Su et al., 2021), halves layout as Llama;
// computed on the CPU, on the device and in the type of `like`.
struct RotaryTables {
  at::Tensor cosine, sine;
};
RotaryTables rotary_tables(int64_t length, int64_t head_dim, double theta, const at::Tensor& like);
at::Tensor rotate(const at::Tensor& x, const RotaryTables& tables);  // x [rows, heads, length, head_dim]

// Root-mean-square norm (Zhang and Sennrich, 2019) computed in fp32, the weight applied in x's dtype.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

at::Tensor activation(const at::Tensor& x, const std::string& name);  // gelu_new, gelu, relu, silu

// Ends a model: loss sum and row losses in the context, or the logits.
at::Tensor finish_with_loss(const at::Tensor& logits, StepContext& context);

// [rows, length, heads * head_dim] <-> [rows, heads, length, head_dim].
at::Tensor split_heads(const at::Tensor& x, int64_t heads);
at::Tensor merge_heads(const at::Tensor& x);

}  // namespace ds
