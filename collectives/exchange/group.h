// What a running operation needs of its communicator. Shared, so that an operation may outlive the communicator.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/communicator.h"
#include "collectives/exchange/call.h"
#include "collectives/exchange/scratch.h"
#include "collectives/exchange/transport.h"

namespace ds {

class Progress;
class Task;

struct Group {
  std::shared_ptr<Transport> transport;
  std::shared_ptr<Progress> progress;
  std::shared_ptr<ScratchPool> scratch;
  std::string name;
  std::vector<int> world_ranks;
  CommunicatorOptions options;
  Traffic traffic;
  int64_t next_sequence = 0;

  // Point to point operations of one (sending, peer, tag) run one after the other, in the order of the calls: their
  // messages share one transport tag.
  using Lane = std::tuple<bool, int, int>;
  struct LaneState {
    int64_t next_sequence = 0;
    std::deque<const Task*> waiting;
  };
  std::map<Lane, LaneState> lanes;

  int rank() const { return transport->rank(); }
  int size() const { return transport->size(); }
  int64_t& sent(CallKind kind);  // the counter of this kind of operation

  std::string label() const;            // "group data (size 4)"
  std::string label(int member) const;  // "rank 1 (world 3)"
};

}  // namespace ds
