// What a rank says it is doing, sent ahead of its data, so that ranks that disagree find out.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/communicator.h"

namespace ds {

enum class CallKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kAllToAll,
  kPointToPoint,
  kBarrier,
};
std::string name_of(CallKind kind);  // "all_reduce", …

// Travels as it is between ranks of one build on machines of one kind.
struct Call {
  int64_t sequence = 0;  // of the operation within its group; point to point: within (peer, tag)
  int64_t count = 0;     // elements, as the operation's first argument has them
  int64_t piece_bytes = 0;
  int32_t detail = 0;  // broadcast: root; point to point: tag; reductions: the ReduceOp
  CallKind kind = CallKind::kBarrier;
  DType dtype = DType::kUInt8;
  uint8_t reserved[2] = {0, 0};

  bool operator==(const Call& other) const;
};

// "all_reduce #17 of 100 float32, sum".
std::string describe(const Call& call);

}  // namespace ds
