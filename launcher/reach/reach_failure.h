// Why hosts could not be reached, grouped by cause, from what ssh or srun said.
#pragma once

#include <string>
#include <vector>

namespace ds {

struct ReachFailure {
  std::string host;
  std::string cause;   // "host key unknown", "no answer in 10 s", ...
  std::string detail;  // the helper's own last line
};

// `said`: stderr of the helper; `exit_code` its end, or -1 while it still runs. Causes: not found, connection
// refused, no route, no answer, host key unknown or changed, login refused, no dsagent there, other.
ReachFailure classify_reach_failure(const std::string& host, const std::string& said, int exit_code,
                                    int waited_seconds);

// Nothing was heard from the host in time.
bool is_no_answer(const ReachFailure& failure);

// One line per cause: "host key unknown on: node2, node3 (Host key verification failed.)".
std::string describe_reach_failures(const std::vector<ReachFailure>& failures);

}  // namespace ds
