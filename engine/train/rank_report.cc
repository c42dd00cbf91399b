#include "engine/train/rank_report.h"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ds {

RankReport::RankReport(const std::string& path) {
  if (path.empty()) return;
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info{};
  void* memory = MAP_FAILED;
  if (::fstat(fd, &info) == 0 && info.st_size >= static_cast<off_t>(sizeof(RankBlock)))
    memory = ::mmap(nullptr, sizeof(RankBlock), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) return;
  block_ = static_cast<RankBlock*>(memory);
  if (block_->magic == kBlockMagic && block_->version == kBlockVersion) return;
  ::munmap(block_, sizeof(RankBlock));
  block_ = nullptr;
}

RankReport::~RankReport() {
  if (block_) ::munmap(block_, sizeof(RankBlock));
}

CollectiveCounters RankReport::collective_counters() {
  if (!block_) return {};
  return {&block_->collective_sequence, &block_->collectives_done, &block_->beat};
}

void RankReport::beat() { block_->beat.fetch_add(1); }

void RankReport::phase(RankPhase phase) {
  if (!block_) return;
  block_->phase = static_cast<uint32_t>(phase);
  beat();
}

void RankReport::progress(int64_t step, int64_t total_steps, double loss, double tokens_per_second) {
  if (!block_) return;
  block_->total_steps = total_steps;
  block_->loss = loss;
  block_->tokens_per_second = tokens_per_second;
  block_->step = step;
  beat();
}

void RankReport::evaluated(double loss) {
  if (!block_) return;
  block_->eval_loss = loss;
  beat();
}

void RankReport::committed(int64_t checkpoint_step) {
  if (!block_) return;
  block_->checkpoint_step = checkpoint_step;
  beat();
}

void RankReport::verdict(int exit_code, const std::string& message) {
  if (!block_) return;
  const size_t length = std::min(message.size(), sizeof(block_->message) - 1);
  std::memcpy(block_->message, message.data(), length);
  block_->message[length] = '\0';
  block_->verdict = static_cast<uint32_t>(exit_code);
  beat();
}

}  // namespace ds
