// The widened product against libtorch's own: the same rounding points, so the same numbers but for the order of sums.
#include "engine/models/linear.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "gtest/gtest.h"

namespace ds {
namespace {

at::Tensor random_bf16(at::IntArrayRef shape) {
  return at::randn(shape, at::kFloat).to(at::kBFloat16).set_requires_grad(true);
}

// One unit in the last place of bf16, 2^-8 relative, may come from another order of the fp32 sums.
void expect_same(const at::Tensor& a, const at::Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_EQ(a.scalar_type(), at::kBFloat16);
  const auto wide_a = a.to(at::kFloat), wide_b = b.to(at::kFloat);
  EXPECT_TRUE(at::allclose(wide_a, wide_b, 1.0 / 128, 1e-3)) << (wide_a - wide_b).abs().max().item<float>();
}

std::vector<at::Tensor> value_and_grads(const at::Tensor& y, const std::vector<at::Tensor>& inputs) {
  const at::Tensor weights = at::arange(1, y.numel() + 1, at::kFloat).remainder(7).view(y.sizes()).to(y.scalar_type());
  std::vector<at::Tensor> result = torch::autograd::grad({(y * weights).sum()}, inputs);
  result.push_back(y);
  return result;
}

void expect_equal(const std::vector<at::Tensor>& ours, const std::vector<at::Tensor>& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) expect_same(ours[i], theirs[i]);
}

TEST(WidenedProduct, IsLinearWithAndWithoutBias) {
  at::manual_seed(1);
  const auto x = random_bf16({2, 5, 48}), weight = random_bf16({24, 48}), bias = random_bf16({24});
  expect_equal(value_and_grads(widened::linear(x, weight, bias), {x, weight, bias}),
               value_and_grads(at::linear(x, weight, bias), {x, weight, bias}));
  expect_equal(value_and_grads(widened::linear(x, weight, {}), {x, weight}),
               value_and_grads(at::linear(x, weight), {x, weight}));
}

TEST(WidenedProduct, IsConv1d) {
  at::manual_seed(2);
  const auto x = random_bf16({2, 5, 48}), weight = random_bf16({48, 24}), bias = random_bf16({24});
  expect_equal(value_and_grads(widened::conv1d(x, weight, bias), {x, weight, bias}),
               value_and_grads(at::addmm(bias, x.reshape({10, 48}), weight).view({2, 5, 24}), {x, weight, bias}));
}

TEST(WidenedProduct, IsABatchOfProducts) {
  at::manual_seed(3);
  const auto a = random_bf16({2, 3, 7, 16}), b = random_bf16({2, 3, 9, 16});
  expect_equal(value_and_grads(widened::matmul(a, b.transpose(2, 3)), {a, b}),
               value_and_grads(at::matmul(a, b.transpose(2, 3)), {a, b}));
}

TEST(WidenedProduct, GivesNoGradientThatNobodyAskedFor) {
  const auto x = at::ones({2, 4}, at::kBFloat16), weight = random_bf16({4, 4});
  const auto y = widened::linear(x, weight, {});
  EXPECT_TRUE(y.requires_grad());
  torch::autograd::grad({y.sum()}, {weight});
}

TEST(Linear, KeepsTheDtypeAndTheLeadingShape) {
  for (const auto dtype : {at::kFloat, at::kBFloat16}) {
    const auto y = ds::linear(at::ones({2, 3, 4}, dtype), at::ones({5, 4}, dtype));
    EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 3, 5}));
    EXPECT_EQ(y.scalar_type(), dtype);
    EXPECT_EQ(ds::conv1d(at::ones({6, 4}, dtype), at::ones({4, 5}, dtype), at::ones({5}, dtype)).sizes(),
              at::IntArrayRef({6, 5}));
  }
}

}  // namespace
}  // namespace ds
