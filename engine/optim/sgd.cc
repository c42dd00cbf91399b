// SGD with momentum, dampening and Nesterov's variant, as torch.optim.SGD defines them, by libtorch's fused kernel.
#include <ATen/ops/_fused_sgd.h>

#include "engine/optim/update_rule.h"

namespace ds {
namespace {

class Sgd : public UpdateRule {
 public:
  explicit Sgd(const OptimizerSettings& settings) : settings_(settings) {}

  std::vector<Kind> states() const override {
    if (settings_.momentum == 0) return {};
    return {Kind::kMomentum};
  }

  void update(at::TensorList parameters, at::TensorList gradients, const std::vector<std::vector<at::Tensor>>& states,
              const UpdateArguments& a) const override {
    const at::TensorList momenta = states.empty() ? at::TensorList() : at::TensorList(states[0]);
    at::_fused_sgd_(parameters, gradients, momenta, a.weight_decay, settings_.momentum, a.learning_rate,
                    settings_.dampening, settings_.nesterov, false, a.step == 1, {}, {});
  }

 private:
  OptimizerSettings settings_;
};

}  // namespace

std::unique_ptr<UpdateRule> make_sgd(const OptimizerSettings& settings) { return std::make_unique<Sgd>(settings); }

std::unique_ptr<UpdateRule> make_update_rule(const OptimizerSettings& settings) {
  return settings.type == OptimizerSettings::Type::kSgd ? make_sgd(settings) : make_adam(settings);
}

}  // namespace ds
