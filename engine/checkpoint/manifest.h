// manifest.json of a checkpoint: the value, its text, and the checks that make the text trustworthy.
// docs/checkpoint_format.md describes the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/checkpoint/piece.h"

namespace ds {

inline constexpr int kCheckpointFormatVersion = 1;
inline constexpr const char* kManifestName = "manifest.json";

struct ManifestFile {
  std::string name;  // within the step folder
  int64_t bytes = 0;
  int64_t block_bytes = 0;
  std::vector<uint32_t> blocks;  // CRC-32C of each block; the last one may be short
  int64_t num_blocks() const { return bytes == 0 ? 0 : (bytes - 1) / block_bytes + 1; }
};

// Elements [offset, offset + count) of a tensor lie at file_offset of files[file].
struct ManifestPiece {
  int file = 0;
  int64_t file_offset = 0, offset = 0, count = 0;
};

struct ManifestTensor {
  TensorInfo info;
  std::vector<ManifestPiece> pieces;  // by offset; together they are the tensor
};

struct Manifest {
  int64_t step = 0;
  std::string state = "{}";  // JSON text
  std::vector<ManifestTensor> tensors;  // by name, then kind
  std::vector<ManifestFile> files;

  const ManifestTensor* find(const std::string& name, const std::string& kind) const;
};

std::string describe(const TensorInfo& tensor);   // "tensor 'wte.weight' (exp_avg)"
std::string shape_text(const TensorInfo& tensor);  // "float32 [50257, 768]"

// Text with its own checksum at the end. parse_manifest(manifest_text(m), …) is m.
std::string manifest_text(const Manifest& manifest);

// Checks everything that can be checked without the other files: the checksum, every member's type, names, offsets
// inside their files, block counts, and that pieces cover each tensor exactly once. Throws kCorrupt naming `path`.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Number of elements, or -1 when a dimension is negative or the product does not fit.
int64_t checked_count(const std::vector<int64_t>& shape);

}  // namespace ds
