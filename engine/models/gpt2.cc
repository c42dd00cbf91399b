// GPT-2 (Radford et al., 2019) with Hugging Face's names and its Conv1D weights, which are [in, out].
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/layer_norm.h>

#include "engine/models/from_config.h"
#include "engine/models/linear.h"
#include "engine/models/model_builder.h"
#include "engine/models/pieces.h"

namespace ds {
namespace {

at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, epsilon);
}

void add_norm(ModelBuilder& build, const std::string& name, int64_t width) {
  build.add(name + ".weight", {width}, Role::kNorm, ones());
  build.add(name + ".bias", {width}, Role::kBias, zeros());
}

void add_conv1d(ModelBuilder& build, const std::string& name, int64_t in, int64_t out, double deviation) {
  build.add(name + ".weight", {in, out}, Role::kMatrix, normal(deviation));
  build.add(name + ".bias", {out}, Role::kBias, zeros());
}

void add_embedding(ModelBuilder& build, const ModelConfig& c) {
  build.begin_layer("embed");
  build.add("transformer.wte.weight", {c.vocab_size, c.hidden_size}, Role::kEmbedding, normal(c.initializer_range));
  build.add("transformer.wpe.weight", {c.max_positions, c.hidden_size}, Role::kEmbedding, normal(c.initializer_range));
  build.end_layer([p = c.embedding_dropout](const at::Tensor&, std::span<const at::Tensor> w, StepContext& context) {
    const at::Tensor positions = w[1].narrow(0, 0, context.tokens.size(1));
    return dropout(at::embedding(w[0], context.tokens) + positions, {0, "embed", p}, context);
  });
}

void add_block(ModelBuilder& build, const ModelConfig& c, int64_t i) {
  const std::string prefix = "transformer.h." + std::to_string(i);
  const int64_t width = c.hidden_size;
  const double deviation = c.initializer_range;
  const double residual_deviation = deviation / std::sqrt(2.0 * static_cast<double>(c.num_layers));
  build.begin_layer("block" + std::to_string(i));
  add_norm(build, prefix + ".ln_1", width);
  add_conv1d(build, prefix + ".attn.c_attn", width, 3 * width, deviation);
  add_conv1d(build, prefix + ".attn.c_proj", width, width, residual_deviation);
  add_norm(build, prefix + ".ln_2", width);
  add_conv1d(build, prefix + ".mlp.c_fc", width, c.intermediate_size, deviation);
  add_conv1d(build, prefix + ".mlp.c_proj", c.intermediate_size, width, residual_deviation);
  double scale = c.scale_attention ? 1.0 / std::sqrt(static_cast<double>(c.head_dim)) : 1.0;
  if (c.scale_attention_by_layer) scale /= static_cast<double>(i + 1);
  build.end_layer([c, i, scale](const at::Tensor& x, std::span<const at::Tensor> w, StepContext& context) {
    const auto qkv = conv1d(norm(x, w[0], w[1], c.norm_epsilon), w[2], w[3]).split(c.hidden_size, 2);
    const AttentionOptions options{scale, {i, "attention", c.attention_dropout}};
    const at::Tensor attended =
        merge_heads(causal_attention(split_heads(qkv[0], c.num_heads), split_heads(qkv[1], c.num_heads),
                                     split_heads(qkv[2], c.num_heads), options, context));
    const at::Tensor middle =
        x + dropout(conv1d(attended, w[4], w[5]), {i, "attention_output", c.residual_dropout}, context);
    const at::Tensor wide = activation(conv1d(norm(middle, w[6], w[7], c.norm_epsilon), w[8], w[9]), c.activation);
    return middle + dropout(conv1d(wide, w[10], w[11]), {i, "mlp_output", c.residual_dropout}, context);
  });
}

void add_head(ModelBuilder& build, const ModelConfig& c) {
  build.begin_layer("head");
  add_norm(build, "transformer.ln_f", c.hidden_size);
  if (c.tie_embeddings)
    build.tie("transformer.wte.weight", "lm_head.weight");
  else
    build.add("lm_head.weight", {c.vocab_size, c.hidden_size}, Role::kMatrix, normal(c.initializer_range));
  build.end_layer([c](const at::Tensor& x, std::span<const at::Tensor> w, StepContext& context) {
    return finish_with_loss(ds::linear(norm(x, w[0], w[1], c.norm_epsilon), w[2]), context);
  });
}

}  // namespace

ModelDefinition make_gpt2(const ModelConfig& config) {
  ModelBuilder build;
  add_embedding(build, config);
  for (int64_t i = 0; i < config.num_layers; ++i) add_block(build, config, i);
  add_head(build, config);
  return build.finish();
}

}  // namespace ds
