// A checkpoint file read block by block, each block checked against its checksum before its bytes are believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/manifest.h"

namespace ds {

class CheckedFile {
 public:
  // `entry` must outlive this. Throws kCorrupt when the file is missing.
  CheckedFile(const std::string& folder, const ManifestFile& entry);

  // Copies bytes that lie inside the file. Every touched block is read whole and checked; neighbouring reads in one
  // block read it once. Throws kCorrupt naming file and block, and `subject`, which the bytes belong to.
  void read(int64_t offset, void* to, int64_t bytes, const std::string& subject);

  // Reads everything; numbers of the blocks that fail.
  std::vector<int64_t> bad_blocks();

 private:
  int64_t block_size(int64_t block) const;
  bool load(int64_t block, void* to) const;  // false: checksum differs
  void require(bool good, int64_t block, const std::string& subject) const;

  const ManifestFile& entry_;
  InputFile file_;
  std::vector<std::byte> buffer_;
  int64_t buffered_ = -1;  // the block in buffer_, checked
};

}  // namespace ds
