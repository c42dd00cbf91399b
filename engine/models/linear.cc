#include "engine/models/linear.h"

#include <string>

#include <ATen/Version.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <torch/csrc/autograd/custom_function.h>

namespace ds {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor rows_of(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

at::Tensor wide(const at::Tensor& x) { return x.to(at::kFloat); }

at::Tensor turned(const at::Tensor& x) { return x.transpose(-2, -1); }

// autograd wants tensors that are defined.
at::Tensor no_bias(const at::Tensor& x) { return at::empty({0}, x.options()); }

// a [..., m, k] b [..., k, n] + bias [n]; a bias only with two dimensions.
struct WideProduct : torch::autograd::Function<WideProduct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                            const at::Tensor& bias) {
    context->save_for_backward({a, b});
    const at::Tensor y = bias.numel() ? at::addmm(wide(bias), wide(a), wide(b)) : at::matmul(wide(a), wide(b));
    return y.to(a.scalar_type());
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &a = saved[0], &b = saved[1];
    const at::Tensor grad = wide(grads[0]);
    variable_list result(3);
    if (context->needs_input_grad(0)) result[0] = at::matmul(grad, turned(wide(b))).to(a.scalar_type());
    if (context->needs_input_grad(1)) result[1] = at::matmul(turned(wide(a)), grad).to(b.scalar_type());
    if (context->needs_input_grad(2)) result[2] = grad.sum(0).to(a.scalar_type());
    return result;
  }
};

at::Tensor in_shape_of(const at::Tensor& x, const at::Tensor& rows) {
  auto shape = x.sizes().vec();
  shape.back() = rows.size(-1);
  return rows.view(shape);
}

at::Tensor wide_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return in_shape_of(x, WideProduct::apply(rows_of(x), weight, bias.defined() ? bias : no_bias(x)));
}

bool lacks_bf16_product() {
  const std::string capability = at::get_cpu_capability();
  return capability == "AVX2" || capability == "DEFAULT" || capability == "NO AVX";
}

bool must_widen(const at::Tensor& x) {
  static const bool lacks = lacks_bf16_product();
  return lacks && x.scalar_type() == at::kBFloat16 && x.is_cpu();
}

}  // namespace

namespace widened {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return wide_product(x, weight.t(), bias);
}

at::Tensor conv1d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return wide_product(x, weight, bias);
}

at::Tensor matmul(const at::Tensor& a, const at::Tensor& b) { return WideProduct::apply(a, b, no_bias(a)); }

}  // namespace widened

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (must_widen(x)) return widened::linear(x, weight, bias);
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

at::Tensor conv1d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (must_widen(x)) return widened::conv1d(x, weight, bias);
  return in_shape_of(x, at::addmm(bias, rows_of(x), weight));
}

at::Tensor matmul(const at::Tensor& a, const at::Tensor& b) {
  return must_widen(a) ? widened::matmul(a, b) : at::matmul(a, b);
}

}  // namespace ds
