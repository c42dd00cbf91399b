#include "engine/models/pieces.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include "engine/models/linear.h"
#include "engine/random/philox.h"
#include "topology/base/error.h"

namespace ds {
namespace {

at::Tensor dropout_mask(at::IntArrayRef shape, const DropoutSite& site, const StepContext& context) {
  at::Tensor mask = at::empty(shape, at::kFloat);
  const int64_t row_elements = mask.numel() / shape[0];
  const std::string name =
      "dropout/" + std::to_string(context.step) + "/" + std::to_string(site.layer) + "/" + site.site + "/";
  float* out = mask.data_ptr<float>();
  for (int64_t row = 0; row < shape[0]; ++row) {
    const uint64_t key = random_key(context.seed, name + std::to_string(context.samples.at(row)));
    counted_dropout(key, 0, row_elements, site.p, out + row * row_elements);
  }
  return mask;
}

}  // namespace

at::Tensor dropout(const at::Tensor& x, const DropoutSite& site, const StepContext& context) {
  if (site.p == 0 || !context.training) return x;
  return x * dropout_mask(x.sizes(), site, context).to(x.device(), x.scalar_type());
}

at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const AttentionOptions& options, const StepContext& context) {
  if (options.dropout.p == 0 || !context.training)
    return at::scaled_dot_product_attention(q, k, v, {}, 0.0, true, options.scale, q.size(1) != k.size(1));
  const int64_t groups = q.size(1) / k.size(1);
  const at::Tensor keys = groups == 1 ? k : k.repeat_interleave(groups, 1);
  const at::Tensor values = groups == 1 ? v : v.repeat_interleave(groups, 1);
  const int64_t length = q.size(2);
  const at::Tensor future = at::full({length, length}, -INFINITY, q.options().dtype(at::kFloat)).triu(1);
  const at::Tensor scores = ds::matmul(q, keys.transpose(2, 3)).to(at::kFloat) * options.scale + future;
  const at::Tensor weights = dropout(at::softmax(scores, -1), options.dropout, context);
  return ds::matmul(weights.to(v.scalar_type()), values);
}

RotaryTables rotary_tables(int64_t length, int64_t head_dim, double theta, const at::Tensor& like) {
  at::NoGradGuard no_grad;
  const at::Tensor exponents = at::arange(0, head_dim, 2, at::kLong).to(at::kFloat) / static_cast<double>(head_dim);
  const at::Tensor inverse = 1.0 / at::pow(theta, exponents);
  const at::Tensor half = at::outer(at::arange(0, length, at::kFloat), inverse);
  const at::Tensor angles = at::cat({half, half}, -1);
  return {angles.cos().to(like.device(), like.scalar_type()), angles.sin().to(like.device(), like.scalar_type())};
}

at::Tensor rotate(const at::Tensor& x, const RotaryTables& tables) {
  const int64_t half = x.size(-1) / 2;
  const at::Tensor turned = at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * tables.cosine + turned * tables.sine;
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor normed = wide * at::rsqrt(wide.pow(2).mean(-1, true) + epsilon);
  return weight * normed.to(x.scalar_type());
}

at::Tensor activation(const at::Tensor& x, const std::string& name) {
  if (name == "gelu_new") return at::gelu(x, "tanh");
  if (name == "gelu") return at::gelu(x, "none");
  if (name == "relu") return at::relu(x);
  if (name == "silu") return at::silu(x);
  throw Error(ErrorCode::kInternal, "engine: unknown activation " + name);
}

at::Tensor finish_with_loss(const at::Tensor& logits, StepContext& context) {
  if (!context.labels.defined()) {
    context.logits = logits;
    return logits;
  }
  const int64_t rows = context.labels.size(0);
  const at::Tensor flat = logits.reshape({-1, logits.size(-1)}).to(at::kFloat);
  const at::Tensor losses = at::cross_entropy_loss(flat, context.labels.reshape({-1}), {}, at::Reduction::None, -100);
  context.row_losses = losses.detach().view({rows, -1}).sum(1, false, at::kDouble);
  return losses.sum();
}

at::Tensor split_heads(const at::Tensor& x, int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

at::Tensor merge_heads(const at::Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace ds
