// A launcher in the place of another one that is gone without having ended its elastic job.
#pragma once

#include <string>
#include <vector>

#include "launcher/records/handover.h"

namespace ds {

// Agents end 20 s after the last answer of their launcher, which may have come just after its last sign of life.
inline constexpr double kAgentsGoneSeconds = 25;

struct Succession {
  bool resumes = false;            // it ran on this machine and wanted the same: its agents come back to its port
  int port = 0;
  double silence = 0;              // seconds since its last sign of life
  bool one_clock = false;          // by the clock of this machine alone
  std::vector<std::string> hosts;  // where its ranks may be
  Handover handover;
};

}  // namespace ds
