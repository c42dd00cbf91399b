// What remains to be done on a host whose agent and rank server are both dead.
#pragma once

#include <chrono>
#include <string>

namespace ds {

// Kills every process of the job on this host, its agent if there still is one, and removes its files.
// Returns what could not be killed, "" if nothing is left.
std::string sweep(const std::string& job, std::chrono::milliseconds limit);

}  // namespace ds
