// Ranks doing local work together: all succeed, or all get the same Error.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/communicator.h"

namespace ds {

// The bytes of every rank, on every rank, by rank. Collective.
std::vector<std::string> all_gather_bytes(Communicator& world, const std::string& own);

// Runs `work` here and waits for the others. If it throws on any rank, every rank throws one Error that starts with
// `what`, names the ranks and carries their messages, with the code of the first. `work` must not call collectives.
// Collective.
void all_or_none(Communicator& world, const std::string& what, const std::function<void()>& work);

}  // namespace ds
