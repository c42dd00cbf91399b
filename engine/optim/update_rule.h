// How one optimizer changes a flat range of fp32 parameters: one file per optimizer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "cuda/module.h"
#include "engine/config/settings.h"
#include "engine/sharding/representation.h"

namespace ds {

struct UpdateArguments {
  int64_t step = 1;  // number of this update, from 1
  double learning_rate = 0;
  double weight_decay = 0;
  double beta1 = 0, beta2 = 0;  // as a schedule moved them; optimizers without momentum ignore them
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  virtual std::vector<Kind> states() const = 0;
  // parameters[i], gradients[i], states[k][i]: flat fp32 tensors of equal size. Elementwise, so any cut into ranges
  // gives the same bits. Gradients may be overwritten.
  virtual void update(at::TensorList parameters, at::TensorList gradients,
                      const std::vector<std::vector<at::Tensor>>& states, const UpdateArguments& arguments) const = 0;

  // The same update as a step of the device's Adam kernel, gradients scaled by `scale` on the way; nullopt: this rule is
  // none. Its states are those of Adam, in that order.
  virtual std::optional<DsAdamStep> adam_step(const UpdateArguments& arguments, float scale) const {
    static_cast<void>(arguments), static_cast<void>(scale);
    return std::nullopt;
  }
};

std::unique_ptr<UpdateRule> make_update_rule(const OptimizerSettings& settings);
std::unique_ptr<UpdateRule> make_adam(const OptimizerSettings& settings);
std::unique_ptr<UpdateRule> make_sgd(const OptimizerSettings& settings);

}  // namespace ds
