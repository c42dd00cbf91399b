#include "agent/progress_sampler.h"

#include "agent/process_table.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_block.h"

namespace ds {
namespace {

constexpr uint32_t kLooksPerSign = 3;

bool is_news(const control::Progress& now, const control::Progress& told) {
  return now.phase() != told.phase() || now.step() != told.step() || now.checkpoint_step() != told.checkpoint_step();
}

bool moved(const control::Progress& now, const control::Progress& told) {
  return now.beat() != told.beat() || now.collectives_entered() != told.collectives_entered() ||
         now.collectives_done() != told.collectives_done() || now.process_state() != told.process_state() ||
         now.io_megabytes() != told.io_megabytes();
}

void ask_kernel(pid_t pid, control::Progress& progress) {
  const auto info = process_info(pid);
  const bool told = info && (info->state == 'T' || info->state == 't' || info->state == 'D');
  progress.set_process_state(told ? static_cast<uint32_t>(info->state) : 0);
  progress.set_io_megabytes(bytes_moved(pid) >> 20);
}

}  // namespace

ProgressSampler::ProgressSampler() : told_(std::make_unique<control::Progress>()) {}
ProgressSampler::~ProgressSampler() = default;
ProgressSampler::ProgressSampler(ProgressSampler&&) noexcept = default;

bool ProgressSampler::look(const RankBlockFile& block, pid_t pid, control::Progress& progress) {
  const bool signs_due = pid == 0 || looks_++ % kLooksPerSign == 0;
  block.fill(progress);
  progress.set_process_state(told_->process_state());
  progress.set_io_megabytes(told_->io_megabytes());
  if (signs_due && pid != 0) ask_kernel(pid, progress);
  if (progress.beat() == 0 && progress.process_state() == 0)
    return false;  // no training rank, or one that just started
  if (!is_news(progress, *told_) && !(signs_due && moved(progress, *told_))) return false;
  *told_ = progress;
  return true;
}

}  // namespace ds
