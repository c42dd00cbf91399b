// Finds and kills what a job left on this host: descendants and everything that carries the job's marker in its
// environment, so that a process that left its session and its parent is found too.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/process_table.h"
#include "topology/launch_environment.h"

namespace ds {

inline constexpr const char* kHostVariable = "DSLAUNCH_HOST_INDEX";

// Rank servers carry this one instead: when an agent dies, they must not kill each other before they have cleaned up.
inline constexpr const char* kServerVariable = "DSLAUNCH_SERVER_OF";

struct JobMarker {
  std::string job;
  std::optional<uint32_t> host_index;  // nullopt = any: hosts that share their process table are told apart by it
  bool with_servers = false;           // rank servers too
  bool with_descendants = true;        // of this process, whatever they carry; false when the job is another's
  std::set<pid_t> apart{};             // children that are no part of it, nor is what they started
};

// Living processes (zombies are not) of the job, and descendants of this process if the marker says so; never `spared`
// nor this process.
std::vector<ProcessInfo> find_leftovers(const JobMarker& marker, const std::set<pid_t>& spared);

// Reaps children of this process that ended and are not in `known`: orphans that came to it as their subreaper. Whether it
// has no children left; then nothing that began below it lives, which no look through /proc can tell: what forks and ends
// while that goes on is missed.
bool reap_orphans(const std::set<pid_t>& known);

// KILL until nothing is left or the limit is reached; blocks. Reaps as reap_orphans does, but not for another's job:
// this process then goes on and wants the statuses of its own children. Returns what is left: "pid 12 (name) in state D", or "".
std::string kill_leftovers(const JobMarker& marker, const std::set<pid_t>& spared, const std::set<pid_t>& known,
                           std::chrono::milliseconds limit);

}  // namespace ds
