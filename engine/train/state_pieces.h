// A parameter store's persistent state as checkpoint pieces.
#pragma once

#include <vector>

#include "engine/checkpoint/piece.h"

namespace ds {

class ParameterStore;

// This rank's pieces of all masters and optimizer states; over all ranks each element once.
std::vector<TensorPiece> pieces_to_save(ParameterStore& store);
// What this rank needs to hold; at stage 0 everything.
std::vector<TensorPiece> pieces_to_load(ParameterStore& store, bool weights_only);

}  // namespace ds
