// dsagent --resident: stays on a host between jobs of its user, and starts the agent of a job faster than a login could.
// It takes calls of those who know its key, and ends when it is told to, or after a time without calls.
// docs/resident_agents.md.
#pragma once

#include <string>

namespace ds {

// Reads ResidentStart from `input`, goes to the background, tells its record (without the key) on `output` after the
// marker, and returns: in the process that was started at once, in the one that stays at its end. `program`: path of
// dsagent. Throws kUsage, kDeadline, kUnavailable (no free port) before anything stays.
int run_resident(int input, int output, const std::string& program);

}  // namespace ds
