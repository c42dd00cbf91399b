// When a unit's gradients are final, in modules that we did not write: by the number of contributions that each
// parameter got in the first backward, at the latest when backward returns (engine.md section 6).
#pragma once

#include <functional>
#include <vector>

#include "engine/zero/parameter_store.h"

namespace ds {

class GradientHooks {
 public:
  // Installs post-accumulate hooks on the store's leaf tensors. take(parameter): a contribution has been added to its
  // .grad. finish(unit): all have come; in the same order on every rank whose modules ran alike.
  GradientHooks(ParameterStore& store, std::function<void(int)> take, std::function<void(int)> finish);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

  void begin_backward();
  void end_backward();  // finishes the units that are not finished yet

 private:
  struct Hook;
  void contributed(int parameter);
  bool complete(int unit) const;

  ParameterStore& store_;
  std::function<void(int)> take_, finish_;
  std::vector<int> expected_, came_;   // per parameter
  std::vector<char> finished_;         // per unit
  bool learned_ = false;
};

}  // namespace ds
