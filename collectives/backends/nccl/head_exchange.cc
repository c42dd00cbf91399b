#include "collectives/backends/nccl/head_exchange.h"

#include "topology/base/error.h"

namespace ds {

HeadExchange::HeadExchange(Group& group, const Call& call) : group_(group), call_(call) {
  for (int step = 1; step < group.size(); ++step) {
    auto peer = std::make_unique<Peer>();
    peer->rank = (group.rank() + step) % group.size();
    peer->receiving = group.transport->receive(&peer->theirs, sizeof(Call), peer->rank, kHeadTag);
    peers_.push_back(std::move(peer));
  }
  for (auto& peer : peers_) peer->sending = group.transport->send(&call_, sizeof call_, peer->rank, kHeadTag);
}

HeadExchange::~HeadExchange() {
  for (auto& peer : peers_) {
    if (!peer->sent) group_.transport->forget(peer->sending);
    if (!peer->received) group_.transport->forget(peer->receiving);
  }
}

bool HeadExchange::advance() {
  bool finished = true;
  for (auto& peer : peers_) {
    if (!peer->sent) peer->sent = group_.transport->finished(peer->sending);
    if (!peer->received && group_.transport->finished(peer->receiving)) {
      peer->received = true;
      if (!(peer->theirs == call_)) throw_disagreement(group_, call_, peer->rank, peer->theirs);
    }
    finished &= peer->sent && peer->received;
  }
  return finished;
}

std::vector<int> HeadExchange::missing() const {
  std::vector<int> missing;
  for (const auto& peer : peers_)
    if (!peer->received) missing.push_back(peer->rank);
  return missing;
}

void throw_disagreement(const Group& group, const Call& ours, int peer, const Call& theirs) {
  throw Error(ErrorCode::kInternal, "collectives: " + group.label() + ": ranks disagree: " + group.label(group.rank()) +
                                        " calls " + describe(ours) + ", " + group.label(peer) + " calls " +
                                        describe(theirs));
}

}  // namespace ds
