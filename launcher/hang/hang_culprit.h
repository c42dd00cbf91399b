// Who holds up a training job in which nothing moves: a pure function of what is known of every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds {

// What a rank's agent last said about it.
struct RankSign {
  int phase = 0;  // RankPhase of agent/contract.h
  int64_t step = 0;
  uint64_t beat = 0, io_megabytes = 0;
  uint64_t entered = 0, done = 0;  // operations of all ranks of the world
  char process_state = 0;          // T stopped by a signal, t by a debugger, D in a call of the kernel that cannot be broken off

  bool operator==(const RankSign&) const = default;
};

struct RankStand {
  int rank = 0;
  std::string host;  // "" = not worth saying
  RankSign sign;
  bool heard = false;     // it has said something
  bool ended = false;     // and its process is gone
  double still_since = 0; // seconds ago it last moved
};

struct Culprits {
  std::vector<int> ranks;  // ascending; empty = all of them, or none more than another
  std::string reason;      // a sentence without its full stop
};

// `stands`: of all ranks, by rank. The first that applies: ranks that a signal stopped; that have never said anything;
// that have not entered a collective in which others wait; that have not left one which others have finished; that the
// kernel holds. If all are inside one, the link or a device; if nobody is inside one, who stood still first.
Culprits find_culprits(const std::vector<RankStand>& stands);

}  // namespace ds
