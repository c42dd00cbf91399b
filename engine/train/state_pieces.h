// A parameter store's persistent state as checkpoint pieces. State in device memory is staged in pinned host memory:
// copied there before it is saved, and from there after it was loaded.
#pragma once

#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/checkpoint/piece.h"

namespace ds {

class ParameterStore;

struct StatePieces {
  std::vector<TensorPiece> pieces;  // point into the store, or into `staged`
  std::vector<std::pair<at::Tensor, at::Tensor>> staged;  // where the state lies, its copy in host memory

  void write_back() const;  // after a load: from the copies to where the state lies
};

enum class Staging { kWhereNeeded, kAlways };  // kAlways: also in host memory (tests)

// This rank's pieces of all masters and optimizer states; over all ranks each element once.
StatePieces pieces_to_save(ParameterStore& store, Staging staging = Staging::kWhereNeeded);
// What this rank needs to hold; at stage 0 everything.
StatePieces pieces_to_load(ParameterStore& store, bool weights_only, Staging staging = Staging::kWhereNeeded);

}  // namespace ds
