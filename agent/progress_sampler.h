// What a rank's agent tells the launcher about its progress, and when: a step or a phase at the next look, all that only
// shows that the rank moves every third look, and nothing while nothing changes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

namespace ds {

namespace control {
class Progress;
}
class RankBlockFile;

class ProgressSampler {
 public:
  ProgressSampler();
  ~ProgressSampler();
  ProgressSampler(ProgressSampler&&) noexcept;

  // `pid`: the rank's, 0 = it has ended. True when `progress` was filled in and is to be sent.
  bool look(const RankBlockFile& block, pid_t pid, control::Progress& progress);

 private:
  std::unique_ptr<control::Progress> told_;
  uint32_t looks_ = 0;
};

}  // namespace ds
