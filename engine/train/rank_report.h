// What a rank tells its agent: the shared block of agent/contract.h, or nothing when there is no agent.
#pragma once

#include <memory>
#include <string>

#include "agent/contract.h"
#include "collectives/collective_counters.h"

namespace ds {

class RankReport {
 public:
  // path: the value of DSLAUNCH_BLOCK; "" = no agent. A file that is not a block of our version is ignored.
  explicit RankReport(const std::string& path);
  ~RankReport();
  RankReport(const RankReport&) = delete;
  RankReport& operator=(const RankReport&) = delete;

  void phase(RankPhase phase);
  void progress(int64_t step, int64_t total_steps, double loss, double tokens_per_second);
  void evaluated(double loss);
  void committed(int64_t checkpoint_step);
  void verdict(int exit_code, const std::string& message);

  // To be written by others while this object lives: who counts collectives, and who has something between two steps to
  // show for itself. nullptr without an agent.
  CollectiveCounters collective_counters();
  std::atomic<uint64_t>* beat_counter() { return block_ ? &block_->beat : nullptr; }

 private:
  void beat();
  RankBlock* block_ = nullptr;
};

}  // namespace ds
