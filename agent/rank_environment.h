// The environment of one rank: what the agent has, less what would confuse it, plus what the user and the job say.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/environment.h"
#include "agent/networks.h"

namespace ds {

namespace control {
class HostSpec;
class RankSpec;
class StartGeneration;
}  // namespace control

struct RankSurroundings {
  std::string job;
  uint32_t host_index = 0;      // of the agent
  uint32_t usable_cores = 1;    // of this host
  std::string block_path;       // "" = the rank gets no block
  NetworkChoice networks;       // between the hosts
  bool fast_fabric = false;
};

// Ranks of a host, by local rank.
std::vector<uint32_t> ranks_of(const control::HostSpec& host);

// Begins an export that puts its value before what the host has: "prepend PATH=/opt/bin".
inline constexpr std::string_view kPrependWord = "prepend ";

// An argument of a training rank that begins with {run} names a file in the run folder; words of programs are theirs.
std::string with_run_folder(const std::string& text, const control::StartGeneration& start);

Environment rank_environment(const Environment& inherited, const control::StartGeneration& start,
                             const control::RankSpec& rank, const RankSurroundings& surroundings);

// The same in two steps, for many ranks: what all of them begin with, and what each adds.
Environment shared_environment(const Environment& inherited, const control::StartGeneration& start);
void add_rank_environment(Environment& environment, const control::StartGeneration& start,
                          const control::RankSpec& rank, const RankSurroundings& surroundings);

}  // namespace ds
