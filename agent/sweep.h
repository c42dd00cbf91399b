// What remains to be done on a host whose agent and rank server are both dead.
#pragma once

#include <chrono>
#include <string>

namespace ds {

// Kills every process of the job on this host, its agent if there still is one, and removes its files.
// Returns what could not be killed, "" if nothing is left.
std::string sweep(const std::string& job, std::chrono::milliseconds limit);

// An agent's record of itself in its run folder, by which others tell a dead one from a living one.
void write_agent_record(const std::string& host_folder);

// Sweeps every other job of this user whose agent on this host is dead: nobody else would, if its launcher died too.
// Agents in other PID namespaces cannot be judged and are left alone.
void sweep_abandoned(const std::string& own_job, std::chrono::milliseconds limit);

}  // namespace ds
