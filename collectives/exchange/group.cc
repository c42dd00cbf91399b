#include "collectives/exchange/group.h"

namespace ds {

int64_t& Group::sent(CallKind kind) {
  switch (kind) {
    case CallKind::kAllReduce:
      return traffic.all_reduce;
    case CallKind::kAllGather:
      return traffic.all_gather;
    case CallKind::kReduceScatter:
      return traffic.reduce_scatter;
    case CallKind::kBroadcast:
      return traffic.broadcast;
    case CallKind::kAllToAll:
      return traffic.all_to_all;
    case CallKind::kPointToPoint:
    case CallKind::kBarrier:  // carries no payload
      return traffic.point_to_point;
  }
  return traffic.point_to_point;
}

std::string Group::label() const { return "group " + name + " (size " + std::to_string(size()) + ")"; }

std::string Group::label(int member) const {
  return "rank " + std::to_string(member) + " (world " + std::to_string(world_ranks[member]) + ")";
}

}  // namespace ds
