#include "collectives/backends/nccl/nccl_operation.h"

namespace ds {

NcclOperation::NcclOperation(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<NcclHandle> handle,
                             std::vector<Stage> stages)
    : Task(std::move(group), call),
      handle_(std::move(handle)),
      stages_(std::move(stages)),
      heads_(*group_, call_),
      event_(*handle_) {
  // What the caller computed so far is input.
  handle_->check_cuda(handle_->table().stream_follow_default(handle_->stream()), "waiting for the default stream");
  handle_->queue(this);
}

NcclOperation::~NcclOperation() {
  if (!finished_) handle_->abort(describe(call_) + " was given up");
  handle_->leave(this);
}

bool NcclOperation::launch() {
  if (!handle_->is_next(this)) return false;
  while (handle_->ready()) {
    if (next_stage_ == stages_.size()) {
      event_.record();
      handle_->leave(this);
      return true;
    }
    stages_[next_stage_++](*handle_);
  }
  return false;
}

bool NcclOperation::advance() {
  try {
    handle_->throw_if_aborted();
    const bool all_called = heads_.advance();
    if (!launched_) launched_ = launch();
    if (launched_ && !finished_) {
      const bool reached = event_.reached();
      if (!reached) handle_->ready();  // throws NCCL's asynchronous errors
      finished_ = reached;
    }
    return finished_ && all_called;
  } catch (const std::exception& error) {
    handle_->abort(error.what());
    throw;
  }
}

}  // namespace ds
