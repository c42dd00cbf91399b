// Brings resident agents onto hosts, by ssh, several at once, each with its own deadline.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/resident/resident_record.h"
#include "launcher/reach/reach_failure.h"
#include "launcher/reach/start_schedule.h"
#include "topology/host.h"

namespace ds {

struct ResidentStarts {
  std::vector<ResidentRecord> started;
  std::vector<ReachFailure> failures;
};

struct ResidentOptions {
  std::string ssh = "ssh", program;  // path of dsagent on the hosts
  uint32_t idle_seconds = 0;         // without a job for so long they end; 0 = never
  std::optional<std::pair<int, int>> ports;
  StartLimits limits;
};

// Blocks until every host has answered or failed; at most limits.each for each.
ResidentStarts start_residents(const std::vector<Host>& hosts, const ResidentOptions& options);

}  // namespace ds
