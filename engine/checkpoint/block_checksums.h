// Checksums of a file's blocks, computed while its bytes pass by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/checkpoint/crc32c.h"

namespace ds {

class BlockChecksums {
 public:
  explicit BlockChecksums(int64_t block_bytes) : block_bytes_(block_bytes) {}

  void append(const void* data, int64_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
      if (filled_ == 0) blocks_.push_back(0);
      const int64_t part = std::min(bytes, block_bytes_ - filled_);
      blocks_.back() = crc32c(at, static_cast<size_t>(part), blocks_.back());
      filled_ = (filled_ + part) % block_bytes_;
      at += part;
      bytes -= part;
    }
  }

  const std::vector<uint32_t>& blocks() const { return blocks_; }

 private:
  int64_t block_bytes_;
  int64_t filled_ = 0;  // bytes in the block being filled
  std::vector<uint32_t> blocks_;
};

}  // namespace ds
