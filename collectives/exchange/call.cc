#include "collectives/exchange/call.h"

#include <array>
#include <string_view>

namespace ds {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{"all_reduce", "all_gather",     "reduce_scatter", "broadcast",
                                                     "all_to_all", "point_to_point", "barrier"};
constexpr std::array<std::string_view, 3> kOpNames{"sum", "max", "min"};

// Bytes of a peer that runs something else may name no enumerator.
template <size_t N>
std::string named(const std::array<std::string_view, N>& names, size_t index) {
  return index < N ? std::string(names[index]) : "unknown " + std::to_string(index);
}

std::string detail_of(const Call& call) {
  switch (call.kind) {
    case CallKind::kAllReduce:
    case CallKind::kReduceScatter:
      return ", " + named(kOpNames, static_cast<size_t>(call.detail));
    case CallKind::kBroadcast:
      return ", root " + std::to_string(call.detail);
    case CallKind::kPointToPoint:
      return ", tag " + std::to_string(call.detail);
    case CallKind::kAllGather:
    case CallKind::kAllToAll:
    case CallKind::kBarrier:
      return "";
  }
  return "";
}

}  // namespace

std::string name_of(CallKind kind) { return named(kKindNames, static_cast<size_t>(kind)); }

bool Call::operator==(const Call& other) const {
  return sequence == other.sequence && count == other.count && piece_bytes == other.piece_bytes &&
         detail == other.detail && kind == other.kind && dtype == other.dtype;
}

std::string describe(const Call& call) {
  std::string text = name_of(call.kind) + " #" + std::to_string(call.sequence);
  if (call.kind == CallKind::kBarrier) return text;
  const std::string type = call.dtype <= DType::kUInt8 ? std::string(name_of(call.dtype)) : "of unknown type";
  return text + " of " + std::to_string(call.count) + " " + type + detail_of(call) + " (pieces of " +
         std::to_string(call.piece_bytes) + " bytes)";
}

}  // namespace ds
