// The streams of one operation, and the order in which a rank talks to its peers.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/exchange/stream.h"

namespace ds {

struct StreamSet {
  std::deque<OutStream> out;
  std::vector<std::unique_ptr<InStream>> in;

  // Moves all streams; true when all are finished.
  bool advance() {
    bool all = true;
    for (OutStream& stream : out) all &= stream.advance();
    for (auto& stream : in) all &= stream->advance();
    return all;
  }

  // Peers that this rank has not heard to the end; when it has, those that have not taken what it sent.
  std::vector<int> missing() const;
};

// Calls `with(peer to send to, peer to receive from)` for distances 1 … n-1: at every moment each rank is the target
// of one other.
void in_rotated_order(const Group& group, const std::function<void(int to, int from)>& with);

}  // namespace ds
