#include "collectives/exchange/scratch.h"

#include <algorithm>
#include <utility>

namespace ds {
namespace {
constexpr size_t kMaxFreeBlocks = 8;
}  // namespace

ScratchPool::Block::Block(Block&& other) noexcept
    : pool_(std::move(other.pool_)), memory_(std::move(other.memory_)), bytes_(std::exchange(other.bytes_, 0)) {}

ScratchPool::Block& ScratchPool::Block::operator=(Block&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  pool_ = std::move(other.pool_);
  memory_ = std::move(other.memory_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

ScratchPool::Block::~Block() { give_back(); }

void ScratchPool::Block::give_back() {
  if (!memory_ || !pool_) return;
  auto& free = pool_->free_;
  free.push_back({std::move(memory_), bytes_});
  if (free.size() > kMaxFreeBlocks)
    free.erase(std::min_element(free.begin(), free.end(), [](auto& a, auto& b) { return a.bytes < b.bytes; }));
}

ScratchPool::Block ScratchPool::take(size_t bytes) {
  Block block;
  if (bytes == 0) return block;
  block.pool_ = shared_from_this();
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it)
    if (it->bytes >= bytes && (best == free_.end() || it->bytes < best->bytes)) best = it;
  if (best != free_.end()) {
    block.memory_ = std::move(best->memory);
    block.bytes_ = best->bytes;
    free_.erase(best);
  } else {
    block.memory_.reset(new char[bytes]);
    block.bytes_ = bytes;
  }
  return block;
}

}  // namespace ds
