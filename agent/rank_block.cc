#include "agent/rank_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>

#include "agent/file_descriptor.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

RankBlockFile::RankBlockFile(const std::string& folder, uint32_t rank)
    : path_(folder + "/block." + std::to_string(rank)) {
  const FileDescriptor file(open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  void* memory = MAP_FAILED;
  // Allocated, not only sized: a full /dev/shm is an error here, not a SIGBUS in the rank.
  const int error = file ? posix_fallocate(file.get(), 0, sizeof(RankBlock)) : errno;
  if (error == 0) memory = mmap(nullptr, sizeof(RankBlock), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorCode::kInternal,
                "rank block: cannot create " + path_ + ": " + std::strerror(error ? error : errno));
  block_ = new (memory) RankBlock();
  block_->eval_loss = std::nan("");
  block_->checkpoint_step = -1;
  block_->version = kBlockVersion;
  block_->magic = kBlockMagic;
}

RankBlockFile::~RankBlockFile() { munmap(block_, sizeof(RankBlock)); }

std::string RankBlockFile::message() const {
  return block_->verdict.load() ? std::string(block_->message, strnlen(block_->message, sizeof block_->message)) : "";
}

void RankBlockFile::fill(control::Progress& progress) const {
  progress.set_beat(block_->beat.load());
  progress.set_phase(block_->phase.load());
  progress.set_step(block_->step.load());
  progress.set_total_steps(block_->total_steps.load());
  progress.set_loss(block_->loss.load());
  progress.set_tokens_per_second(block_->tokens_per_second.load());
  progress.set_eval_loss(block_->eval_loss.load());
  progress.set_checkpoint_step(block_->checkpoint_step.load());
  progress.set_collectives_entered(block_->collective_sequence.load());
  progress.set_collectives_done(block_->collectives_done.load());
}

}  // namespace ds
