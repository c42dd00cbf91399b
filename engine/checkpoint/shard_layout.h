// Where a rank's pieces lie in its shard file, and what all ranks' pieces together make of a checkpoint. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/piece.h"

namespace ds {

// One rank's file: pieces in the order given, each at a multiple of the alignment, the gaps zero.
struct ShardLayout {
  struct Place {
    TensorInfo tensor;
    int64_t offset = 0, count = 0;  // elements of the tensor
    int64_t file_offset = 0;
  };
  std::vector<Place> places;  // also the empty ones: they carry shapes
  int64_t bytes = 0;          // 0: no file is written
};

// Throws kInternal naming the tensor when a shape or a range makes no sense.
ShardLayout lay_out(const std::vector<TensorPiece>& pieces, int64_t alignment);

std::string shard_name(int rank);  // "rank<r>.bin"

// For sending a layout to rank 0.
std::string to_bytes(const ShardLayout& layout);
ShardLayout layout_from_bytes(const std::string& bytes);

// Tensors and files (without checksums) of a checkpoint whose rank r wrote layouts[r]. Throws kInternal naming tensor,
// range and ranks when the pieces do not cover each tensor exactly once or ranks disagree about a shape or dtype.
Manifest merge(const std::vector<ShardLayout>& layouts, int64_t block_bytes);

}  // namespace ds
