// Llama (Touvron et al., 2023) and Qwen2 with Hugging Face's names: RMSNorm, rotary positions, grouped query attention,
// SwiGLU; Qwen2 has biases on q, k and v.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>

#include "engine/models/from_config.h"
#include "engine/models/linear.h"
#include "engine/models/model_builder.h"
#include "engine/models/pieces.h"

namespace ds {
namespace {

// Position of a linear's tensors in the layer's weights; bias -1 = none.
struct Linear {
  int weight = 0, bias = -1;
  at::Tensor operator()(const at::Tensor& x, std::span<const at::Tensor> w) const {
    return ds::linear(x, w[weight], bias < 0 ? at::Tensor() : w[bias]);
  }
};

Linear add_linear(ModelBuilder& build, const std::string& name, int64_t in, int64_t out, bool bias, double deviation) {
  Linear linear;
  linear.weight = build.add(name + ".weight", {out, in}, Role::kMatrix, normal(deviation));
  if (bias) linear.bias = build.add(name + ".bias", {out}, Role::kBias, zeros());
  return linear;
}

struct Block {
  int input_norm = 0, post_norm = 0;
  Linear q, k, v, o, gate, up, down;
};

Block add_block_weights(ModelBuilder& build, const ModelConfig& c, const std::string& prefix) {
  const double deviation = c.initializer_range;
  const int64_t width = c.hidden_size, kv_width = c.num_kv_heads * c.head_dim, q_width = c.num_heads * c.head_dim;
  Block b;
  b.input_norm = build.add(prefix + ".input_layernorm.weight", {width}, Role::kNorm, ones());
  b.q = add_linear(build, prefix + ".self_attn.q_proj", width, q_width, c.qkv_bias, deviation);
  b.k = add_linear(build, prefix + ".self_attn.k_proj", width, kv_width, c.qkv_bias, deviation);
  b.v = add_linear(build, prefix + ".self_attn.v_proj", width, kv_width, c.qkv_bias, deviation);
  b.o = add_linear(build, prefix + ".self_attn.o_proj", q_width, width, c.attention_output_bias, deviation);
  b.post_norm = build.add(prefix + ".post_attention_layernorm.weight", {width}, Role::kNorm, ones());
  b.gate = add_linear(build, prefix + ".mlp.gate_proj", width, c.intermediate_size, c.mlp_bias, deviation);
  b.up = add_linear(build, prefix + ".mlp.up_proj", width, c.intermediate_size, c.mlp_bias, deviation);
  b.down = add_linear(build, prefix + ".mlp.down_proj", c.intermediate_size, width, c.mlp_bias, deviation);
  return b;
}

at::Tensor attend(const at::Tensor& x, const Block& b, std::span<const at::Tensor> w, const ModelConfig& c, int64_t i,
                  StepContext& context) {
  const RotaryTables tables = rotary_tables(x.size(1), c.head_dim, c.rope_theta, x);
  const at::Tensor q = rotate(split_heads(b.q(x, w), c.num_heads), tables);
  const at::Tensor k = rotate(split_heads(b.k(x, w), c.num_kv_heads), tables);
  const at::Tensor v = split_heads(b.v(x, w), c.num_kv_heads);
  const AttentionOptions options{1.0 / std::sqrt(static_cast<double>(c.head_dim)),
                                 {i, "attention", c.attention_dropout}};
  return b.o(merge_heads(causal_attention(q, k, v, options, context)), w);
}

void add_block(ModelBuilder& build, const ModelConfig& c, int64_t i) {
  build.begin_layer("block" + std::to_string(i));
  const Block b = add_block_weights(build, c, "model.layers." + std::to_string(i));
  build.end_layer([b, c, i](const at::Tensor& x, std::span<const at::Tensor> w, StepContext& context) {
    const at::Tensor middle = x + attend(rms_norm(x, w[b.input_norm], c.norm_epsilon), b, w, c, i, context);
    const at::Tensor normed = rms_norm(middle, w[b.post_norm], c.norm_epsilon);
    return middle + b.down(activation(b.gate(normed, w), c.activation) * b.up(normed, w), w);
  });
}

}  // namespace

ModelDefinition make_llama(const ModelConfig& c) {
  ModelBuilder build;
  build.begin_layer("embed");
  build.add("model.embed_tokens.weight", {c.vocab_size, c.hidden_size}, Role::kEmbedding, normal(c.initializer_range));
  build.end_layer([](const at::Tensor&, std::span<const at::Tensor> w, StepContext& context) {
    return at::embedding(w[0], context.tokens);
  });
  for (int64_t i = 0; i < c.num_layers; ++i) add_block(build, c, i);
  build.begin_layer("head");
  build.add("model.norm.weight", {c.hidden_size}, Role::kNorm, ones());
  if (c.tie_embeddings)
    build.tie("model.embed_tokens.weight", "lm_head.weight");
  else
    build.add("lm_head.weight", {c.vocab_size, c.hidden_size}, Role::kMatrix, normal(c.initializer_range));
  build.end_layer([c](const at::Tensor& x, std::span<const at::Tensor> w, StepContext& context) {
    return finish_with_loss(ds::linear(rms_norm(x, w[0], c.norm_epsilon), w[1]), context);
  });
  return build.finish();
}

}  // namespace ds
