// The order in which a micro-step runs layers, gathers and releases units and finishes their gradients: pure values,
// printable, executed by LayerRunner.
#pragma once

#include <string>
#include <vector>

namespace ds {

enum class ActionKind { kGather, kForward, kRelease, kBackward, kFinishGradients };

struct Action {
  ActionKind kind = ActionKind::kForward;
  int index = 0;  // of a layer (kForward, kBackward) or of a unit
  bool operator==(const Action&) const = default;
};

// units_of_layer[i]: the units that layer i reads, ascending. A unit is held while consecutive layers read it, so at
// most the units of one layer are gathered at any time; a unit's gradients are finished after the backward of the first
// layer that reads it, where the last contribution arises.
std::vector<Action> training_actions(const std::vector<std::vector<int>>& units_of_layer);
std::vector<Action> evaluation_actions(const std::vector<std::vector<int>>& units_of_layer);

// How often each unit is gathered by the actions.
std::vector<int> count_gathers(const std::vector<Action>& actions, int num_units);

std::string describe(const std::vector<Action>& actions);  // "G0 F0 R0 G1 …"

}  // namespace ds
