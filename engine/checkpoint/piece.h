// What a rank holds of a tensor's state, as the checkpoint code sees it: no torch, no ZeRO stage, no world size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/dtype.h"

namespace ds {

// A tensor of the whole job: `name` is the Hugging Face name, `kind` one of "weight" (fp32 master), "exp_avg",
// "exp_avg_sq", "momentum", "buffer".
struct TensorInfo {
  std::string name, kind;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;  // global, true (unpadded) shape
  int64_t count() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
  }
};

// A contiguous run of it (row-major element numbers) in this rank's memory. When saving, the pieces of all ranks
// together cover each tensor exactly once. When loading, a rank asks for any pieces, also overlapping other ranks'.
struct TensorPiece {
  TensorInfo tensor;
  int64_t offset = 0;  // first element, global
  int64_t count = 0;
  void* data = nullptr;
};

}  // namespace ds
