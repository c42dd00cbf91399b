#include "engine/train/layer_plan.h"

#include <algorithm>

namespace ds {
namespace {

bool contains(const std::vector<int>& units, int unit) {
  return std::find(units.begin(), units.end(), unit) != units.end();
}

// Runs `layers` in the order given; after each, `then` may add actions.
template <typename Then>
std::vector<Action> visit(const std::vector<std::vector<int>>& units_of_layer, const std::vector<Action>& layers,
                          const Then& then) {
  std::vector<Action> actions;
  std::vector<int> held;
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto& needed = units_of_layer[layers[i].index];
    for (const int unit : needed)
      if (!contains(held, unit)) actions.push_back({ActionKind::kGather, unit});
    held = needed;
    actions.push_back(layers[i]);
    then(layers[i], actions);
    const std::vector<int> next = i + 1 < layers.size() ? units_of_layer[layers[i + 1].index] : std::vector<int>{};
    for (const int unit : needed)
      if (!contains(next, unit)) actions.push_back({ActionKind::kRelease, unit});
    std::erase_if(held, [&](int unit) { return !contains(next, unit); });
  }
  return actions;
}

}  // namespace

std::vector<Action> training_actions(const std::vector<std::vector<int>>& units_of_layer) {
  const int n = static_cast<int>(units_of_layer.size());
  std::vector<Action> layers;
  for (int i = 0; i < n; ++i) layers.push_back({ActionKind::kForward, i});
  for (int i = n - 1; i >= 0; --i) layers.push_back({ActionKind::kBackward, i});
  return visit(units_of_layer, layers, [&](const Action& layer, std::vector<Action>& actions) {
    if (layer.kind != ActionKind::kBackward) return;
    for (const int unit : units_of_layer[layer.index]) {
      const bool used_before = std::any_of(units_of_layer.begin(), units_of_layer.begin() + layer.index,
                                           [&](const auto& units) { return contains(units, unit); });
      if (!used_before) actions.push_back({ActionKind::kFinishGradients, unit});
    }
  });
}

std::vector<Action> evaluation_actions(const std::vector<std::vector<int>>& units_of_layer) {
  std::vector<Action> layers;
  for (int i = 0; i < static_cast<int>(units_of_layer.size()); ++i) layers.push_back({ActionKind::kForward, i});
  return visit(units_of_layer, layers, [](const Action&, std::vector<Action>&) {});
}

std::vector<int> count_gathers(const std::vector<Action>& actions, int num_units) {
  std::vector<int> count(num_units, 0);
  for (const Action& action : actions)
    if (action.kind == ActionKind::kGather) ++count[action.index];
  return count;
}

std::string describe(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions)
    text += (text.empty() ? "" : " ") + std::string(1, "GFRBS"[static_cast<int>(action.kind)]) +
            std::to_string(action.index);
  return text;
}

}  // namespace ds
