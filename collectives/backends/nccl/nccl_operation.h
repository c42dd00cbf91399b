// A collective over NCCL as a task: its stages are enqueued one after the other as NCCL takes them, while the heads of
// all ranks travel over the host's transport.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "collectives/backends/nccl/head_exchange.h"
#include "collectives/backends/nccl/nccl_handle.h"
#include "collectives/backends/nccl/stream_event.h"
#include "collectives/exchange/progress.h"

namespace ds {

class NcclOperation final : public Task {
 public:
  // A stage enqueues work on the handle's stream: at most one call of NCCL, kernels and copies before or after it.
  using Stage = std::function<void(NcclHandle&)>;

  NcclOperation(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<NcclHandle> handle,
                std::vector<Stage> stages);
  ~NcclOperation() override;
  bool advance() override;
  void give_up(const std::string& why) override { handle_->abort(why); }
  std::vector<int> missing() const override { return heads_.missing(); }

 private:
  bool launch();  // true when all stages are enqueued

  std::shared_ptr<NcclHandle> handle_;
  std::vector<Stage> stages_;
  HeadExchange heads_;
  StreamEvent event_;
  size_t next_stage_ = 0;
  bool launched_ = false, finished_ = false;
};

}  // namespace ds
