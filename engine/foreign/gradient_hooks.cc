#include "engine/foreign/gradient_hooks.h"

#include <algorithm>

#include <torch/csrc/autograd/variable.h>

namespace ds {

struct GradientHooks::Hook : torch::autograd::PostAccumulateGradHook {
  Hook(GradientHooks& owner, int parameter) : owner_(owner), parameter_(parameter) {}
  void operator()(const torch::autograd::Variable&) override { owner_.contributed(parameter_); }
  GradientHooks& owner_;
  int parameter_;
};

GradientHooks::GradientHooks(ParameterStore& store, std::function<void(int)> take, std::function<void(int)> finish)
    : store_(store),
      take_(std::move(take)),
      finish_(std::move(finish)),
      expected_(store.parameters().size(), 0),
      came_(store.parameters().size(), 0),
      finished_(store.num_units(), 0) {
  for (size_t p = 0; p < expected_.size(); ++p)
    if (store.parameters()[p].trainable)
      torch::autograd::impl::set_post_acc_grad_hooks(store.tensor(static_cast<int>(p)),
                                                     std::make_unique<Hook>(*this, static_cast<int>(p)));
}

GradientHooks::~GradientHooks() {
  for (size_t p = 0; p < expected_.size(); ++p)
    if (store_.parameters()[p].trainable)
      torch::autograd::impl::set_post_acc_grad_hooks(store_.tensor(static_cast<int>(p)), nullptr);
}

void GradientHooks::begin_backward() {
  std::fill(came_.begin(), came_.end(), 0);
  std::fill(finished_.begin(), finished_.end(), 0);
}

bool GradientHooks::complete(int unit) const {
  for (const Slot& slot : store_.layouts()[unit].slots)
    if (came_[slot.parameter] < expected_[slot.parameter]) return false;
  return true;
}

void GradientHooks::contributed(int parameter) {
  take_(parameter);
  ++came_[parameter];
  const int unit = store_.unit_of(parameter);
  if (!learned_ || finished_[unit] || !complete(unit)) return;
  finished_[unit] = 1;
  finish_(unit);
}

void GradientHooks::end_backward() {
  // A late contribution to a finished unit reduces it again: reductions add.
  for (int unit = 0; unit < store_.num_units(); ++unit) {
    const auto& slots = store_.layouts()[unit].slots;
    const bool late = finished_[unit] && std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) {
                        return came_[slot.parameter] > expected_[slot.parameter];
                      });
    if (!finished_[unit] || late) finish_(unit);
  }
  if (!learned_) expected_ = came_;
  learned_ = true;
}

}  // namespace ds
