// Which bytes of which files fill the pieces somebody asks for. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/piece.h"

namespace ds {

struct FileCopy {
  int file = 0;
  int64_t file_offset = 0, bytes = 0;
  std::byte* to = nullptr;
  const TensorInfo* tensor = nullptr;  // of the manifest: for messages
};

// Sorted by file and place, so that every block is read once. Throws kUsage naming tensor and shapes when a piece asks
// for something that is not there.
std::vector<FileCopy> plan_read(const Manifest& manifest, const std::vector<TensorPiece>& wanted);

}  // namespace ds
