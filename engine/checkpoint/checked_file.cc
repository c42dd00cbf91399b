#include "engine/checkpoint/checked_file.h"

#include <algorithm>
#include <cstring>

#include "engine/checkpoint/crc32c.h"
#include "topology/base/error.h"

namespace ds {

CheckedFile::CheckedFile(const std::string& folder, const ManifestFile& entry)
    : entry_(entry), file_(folder + "/" + entry.name) {}

int64_t CheckedFile::block_size(int64_t block) const {
  return std::min(entry_.block_bytes, entry_.bytes - block * entry_.block_bytes);
}

bool CheckedFile::load(int64_t block, void* to) const {
  const int64_t bytes = block_size(block);
  file_.read(block * entry_.block_bytes, to, bytes);
  return crc32c(to, static_cast<size_t>(bytes)) == entry_.blocks[block];
}

void CheckedFile::require(bool good, int64_t block, const std::string& subject) const {
  if (good) return;
  const int64_t begin = block * entry_.block_bytes;
  throw Error(ErrorCode::kCorrupt, "checkpoint: " + file_.path() + ": damaged: bytes [" + std::to_string(begin) + ", " +
                                       std::to_string(begin + block_size(block)) +
                                       ") fail their checksum: " + subject);
}

void CheckedFile::read(int64_t offset, void* to, int64_t bytes, const std::string& subject) {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const int64_t block = offset / entry_.block_bytes;
    const int64_t within = offset - block * entry_.block_bytes;
    const int64_t part = std::min(bytes, block_size(block) - within);
    if (part == block_size(block)) {
      require(load(block, at), block, subject);
    } else {
      if (buffered_ != block) {
        buffered_ = -1;
        buffer_.resize(static_cast<size_t>(entry_.block_bytes));
        require(load(block, buffer_.data()), block, subject);
        buffered_ = block;
      }
      std::memcpy(at, buffer_.data() + within, static_cast<size_t>(part));
    }
    at += part;
    offset += part;
    bytes -= part;
  }
}

std::vector<int64_t> CheckedFile::bad_blocks() {
  std::vector<int64_t> bad;
  buffer_.resize(static_cast<size_t>(std::min(entry_.block_bytes, entry_.bytes)));
  buffered_ = -1;
  for (int64_t block = 0; block < entry_.num_blocks(); ++block)
    if (!load(block, buffer_.data())) bad.push_back(block);
  return bad;
}

}  // namespace ds
