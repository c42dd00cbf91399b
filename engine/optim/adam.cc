// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019) by libtorch's fused kernels; without bias
// correction, as DeepSpeed's FusedAdam allows, by a plain loop.
#include <cmath>
#include <optional>

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>

#include "engine/optim/update_rule.h"

namespace ds {
namespace {

class Adam : public UpdateRule {
 public:
  explicit Adam(const OptimizerSettings& settings) : settings_(settings) {}

  std::vector<Kind> states() const override { return {Kind::kExpAvg, Kind::kExpAvgSq}; }

  void update(at::TensorList parameters, at::TensorList gradients, const std::vector<std::vector<at::Tensor>>& states,
              const UpdateArguments& a) const override {
    if (!settings_.bias_correction) {
      for (size_t i = 0; i < parameters.size(); ++i)
        uncorrected(parameters[i], gradients[i], states[0][i], states[1][i], a);
      return;
    }
    const std::vector<at::Tensor> steps(parameters.size(), at::full({}, static_cast<double>(a.step), at::kFloat));
    const std::optional<at::Tensor> none;
    if (settings_.type == OptimizerSettings::Type::kAdamW)
      at::_fused_adamw_(parameters, gradients, states[0], states[1], {}, steps, a.learning_rate, a.beta1, a.beta2,
                        a.weight_decay, settings_.epsilon, false, false, none, none);
    else
      at::_fused_adam_(parameters, gradients, states[0], states[1], {}, steps, a.learning_rate, a.beta1, a.beta2,
                       a.weight_decay, settings_.epsilon, false, false, none, none);
  }

  std::optional<DsAdamStep> adam_step(const UpdateArguments& a, float scale) const override {
    return DsAdamStep{a.learning_rate, a.beta1, a.beta2, settings_.epsilon, a.weight_decay,
                      settings_.bias_correction ? a.step : 0, scale, settings_.type == OptimizerSettings::Type::kAdamW};
  }

 private:
  void uncorrected(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& exp_avg,
                   const at::Tensor& exp_avg_sq, const UpdateArguments& a) const {
    float* p = parameter.data_ptr<float>();
    const float* g = gradient.const_data_ptr<float>();
    float* m = exp_avg.data_ptr<float>();
    float* v = exp_avg_sq.data_ptr<float>();
    const bool decoupled = settings_.type == OptimizerSettings::Type::kAdamW;
    const auto lr = static_cast<float>(a.learning_rate), decay = static_cast<float>(a.weight_decay);
    const auto b1 = static_cast<float>(a.beta1), b2 = static_cast<float>(a.beta2);
    const auto eps = static_cast<float>(settings_.epsilon);
    for (int64_t i = 0; i < parameter.numel(); ++i) {
      const float grad = decoupled ? g[i] : g[i] + decay * p[i];
      m[i] = b1 * m[i] + (1 - b1) * grad;
      v[i] = b2 * v[i] + (1 - b2) * grad * grad;
      const float direction = m[i] / (std::sqrt(v[i]) + eps) + (decoupled ? decay * p[i] : 0.0f);
      p[i] -= lr * direction;
    }
  }

  OptimizerSettings settings_;
};

}  // namespace

std::unique_ptr<UpdateRule> make_adam(const OptimizerSettings& settings) { return std::make_unique<Adam>(settings); }

}  // namespace ds
