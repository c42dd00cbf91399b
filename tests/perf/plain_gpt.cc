#include "tests/perf/plain_gpt.h"

#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "engine/models/linear.h"
#include "engine/random/philox.h"

namespace ds {
namespace {

at::Tensor heads(const at::Tensor& x, int64_t n) { return x.view({x.size(0), x.size(1), n, -1}).transpose(1, 2); }

}  // namespace

PlainGpt::PlainGpt(const ModelConfig& c, c10::ScalarType dtype, uint64_t seed) : config_(c) {
  at::NoGradGuard no_grad;
  const auto random = [&](at::IntArrayRef shape, double deviation) {
    at::Tensor t = at::zeros(shape, at::kFloat);
    counted_normal(random_key(seed, std::to_string(masters_.size())), 0, t.numel(), t.data_ptr<float>());
    masters_.push_back(t.mul_(deviation));
  };
  const auto norm = [&] {
    masters_.push_back(at::ones({c.hidden_size}));
    masters_.push_back(at::zeros({c.hidden_size}));
  };
  const auto linear = [&](int64_t in, int64_t out) {
    random({in, out}, 0.02);
    masters_.push_back(at::zeros({out}));
  };
  random({c.vocab_size, c.hidden_size}, 0.02);
  random({c.max_positions, c.hidden_size}, 0.02);
  for (int64_t i = 0; i < c.num_layers; ++i) {
    norm();
    linear(c.hidden_size, 3 * c.hidden_size);
    linear(c.hidden_size, c.hidden_size);
    norm();
    linear(c.hidden_size, c.intermediate_size);
    linear(c.intermediate_size, c.hidden_size);
  }
  norm();
  for (const at::Tensor& master : masters_) {
    weights_.push_back((dtype == at::kFloat ? master : master.to(dtype)).set_requires_grad(true));
    exp_avg_.push_back(at::zeros_like(master));
    exp_avg_sq_.push_back(at::zeros_like(master));
  }
}

at::Tensor PlainGpt::loss_sum(const at::Tensor& tokens, const at::Tensor& labels) const {
  const auto& w = weights_;
  const double eps = config_.norm_epsilon;
  const int64_t width = config_.hidden_size;
  at::Tensor x = at::embedding(w[0], tokens) + w[1].narrow(0, 0, tokens.size(1));
  size_t p = 2;
  for (int64_t i = 0; i < config_.num_layers; ++i, p += 12) {
    const at::Tensor normed = at::layer_norm(x, {width}, w[p], w[p + 1], eps);
    const auto qkv = conv1d(normed, w[p + 2], w[p + 3]).split(width, 2);
    const at::Tensor attended = at::scaled_dot_product_attention(
        heads(qkv[0], config_.num_heads), heads(qkv[1], config_.num_heads), heads(qkv[2], config_.num_heads), {}, 0.0, true);
    x = x + conv1d(attended.transpose(1, 2).reshape(x.sizes()), w[p + 4], w[p + 5]);
    const at::Tensor wide = conv1d(at::layer_norm(x, {width}, w[p + 6], w[p + 7], eps), w[p + 8], w[p + 9]);
    x = x + conv1d(at::gelu(wide, "tanh"), w[p + 10], w[p + 11]);
  }
  const at::Tensor logits = ds::linear(at::layer_norm(x, {width}, w[p], w[p + 1], eps), w[0]);
  return at::cross_entropy_loss(logits.view({-1, logits.size(-1)}).to(at::kFloat), labels.reshape({-1}), {},
                                at::Reduction::Sum);
}

double PlainGpt::step(const at::Tensor& tokens, const at::Tensor& labels, int64_t micro) {
  double sum = 0;
  for (int64_t row = 0; row < tokens.size(0); row += micro) {
    const at::Tensor loss = loss_sum(tokens.narrow(0, row, micro), labels.narrow(0, row, micro));
    torch::autograd::backward({loss}, {});
    sum += loss.item<double>();
  }
  update(1.0 / static_cast<double>(tokens.numel()));
  return sum / static_cast<double>(tokens.numel());
}

void PlainGpt::update(double scale) {
  at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  double squares = 0;
  for (const at::Tensor& weight : weights_) {
    gradients.push_back(weight.grad().to(at::kFloat));
    const double norm = gradients.back().norm().item<double>();
    squares += norm * norm;
  }
  const double clip = std::min(1.0, 1.0 / (std::sqrt(squares) * scale + 1e-6));
  for (at::Tensor& gradient : gradients) gradient.mul_(scale * clip);
  const std::vector<at::Tensor> steps(weights_.size(), at::full({}, static_cast<double>(++steps_), at::kFloat));
  const std::optional<at::Tensor> none;
  at::_fused_adamw_(masters_, gradients, exp_avg_, exp_avg_sq_, {}, steps, 1e-3, 0.9, 0.999, 0.01, 1e-8, false, false, none,
                    none);
  for (size_t p = 0; p < weights_.size(); ++p) {
    if (weights_[p].scalar_type() != at::kFloat) weights_[p].copy_(masters_[p]);
    weights_[p].mutable_grad().reset();
  }
}

}  // namespace ds
