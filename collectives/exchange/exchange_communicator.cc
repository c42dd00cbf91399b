#include "collectives/exchange/exchange_communicator.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/argument_checks.h"
#include "collectives/exchange/piece_reducer.h"
#include "collectives/traffic_formulas.h"
#include "topology/base/error.h"

namespace ds {
namespace {

// The lower half of the transport's tags is for operations of all, two each, the upper half for send and receive.
constexpr int kNumUserTags = kNumTags / 2;
constexpr int kNumSequenceTags = kNumTags / 4;

int tag_of(const Call& call) {
  if (call.kind == CallKind::kPointToPoint) return kNumUserTags + call.detail;
  return 2 * static_cast<int>(call.sequence % kNumSequenceTags);
}

// Pieces are for what happens while the next one is on its way: summing, and passing on in a broadcast. Data that goes
// straight into place travels best in few messages.
constexpr int64_t kStraightFactor = 16;
constexpr int64_t kLargestPiece = 1 << 30;

int64_t piece_bytes_of(CallKind kind, int64_t wanted, int size) {
  const int64_t aligned = wanted / 64 * 64;  // whole elements of every type
  switch (kind) {
    case CallKind::kAllReduce:
    case CallKind::kReduceScatter:
      return reducing_piece_bytes(aligned, size);
    case CallKind::kBroadcast:
      return aligned;
    case CallKind::kAllGather:
    case CallKind::kAllToAll:
    case CallKind::kPointToPoint:
    case CallKind::kBarrier:
      return std::min(aligned * kStraightFactor, kLargestPiece);
  }
  return aligned;
}

}  // namespace

ExchangeCommunicator::ExchangeCommunicator(std::shared_ptr<Transport> transport, const std::string& name,
                                           const CommunicatorOptions& options, const CollectiveCounters& counters)
    : group_(std::make_shared<Group>()) {
  group_->transport = transport;
  group_->progress = std::make_shared<Progress>(transport, counters);
  group_->scratch = std::make_shared<ScratchPool>();
  group_->name = name;
  group_->options = options;
  group_->world_ranks.resize(transport->size());
  std::iota(group_->world_ranks.begin(), group_->world_ranks.end(), 0);
  if (options.piece_bytes < 64 || options.piece_bytes > kLargestPiece)
    throw Error(ErrorCode::kUsage, "collectives: options: piece_bytes=" + std::to_string(options.piece_bytes) +
                                       ": allowed are 64 to " + std::to_string(kLargestPiece));
}

Call ExchangeCommunicator::next_call(CallKind kind, ConstTensorView data, int detail) {
  Call call;
  call.sequence = group_->next_sequence++;
  call.count = data.count;
  call.detail = detail;
  call.kind = kind;
  call.dtype = data.dtype;
  call.piece_bytes = piece_bytes_of(kind, group_->options.piece_bytes, size());
  return call;
}

Work ExchangeCommunicator::start_native(const Call& call, Ticket ticket, int64_t bytes_sent) {
  group_->sent(call.kind) += bytes_sent;
  return start(native_task(group_, call, ticket));
}

Work ExchangeCommunicator::all_reduce(TensorView inout, ReduceOp op) {
  const Call call = next_call(CallKind::kAllReduce, inout, static_cast<int>(op));
  if (group_->options.reduction == Reduction::kFastest)
    if (auto ticket = group_->transport->native_all_reduce(inout, op))
      return start_native(call, *ticket, all_reduce_bytes_sent(inout.count, inout.dtype, size(), rank()));
  return start(all_reduce_task(group_, call, tag_of(call), inout, op));
}

Work ExchangeCommunicator::all_gather(ConstTensorView in, TensorView out) {
  check_all_gather(*group_, in, out);
  const Call call = next_call(CallKind::kAllGather, in);
  return start(all_gather_task(group_, call, tag_of(call), in, out));
}

Work ExchangeCommunicator::reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) {
  check_reduce_scatter(*group_, in, out);
  const Call call = next_call(CallKind::kReduceScatter, in, static_cast<int>(op));
  if (group_->options.reduction == Reduction::kFastest)
    if (auto ticket = group_->transport->native_reduce_scatter(in, out, op))
      return start_native(call, *ticket, reduce_scatter_bytes_sent(in.count, in.dtype, size()));
  return start(reduce_scatter_task(group_, call, tag_of(call), in, out, op));
}

Work ExchangeCommunicator::broadcast(TensorView inout, int root) {
  check_root(*group_, root);
  const Call call = next_call(CallKind::kBroadcast, inout, root);
  return start(broadcast_task(group_, call, tag_of(call), inout, root));
}

Work ExchangeCommunicator::all_to_all(ConstTensorView in, TensorView out) {
  check_all_to_all(*group_, in, out);
  const Call call = next_call(CallKind::kAllToAll, in);
  return start(all_to_all_task(group_, call, tag_of(call), in, out));
}

Call ExchangeCommunicator::next_message(bool sending, ConstTensorView data, int peer, int tag) {
  check_message(*group_, sending, peer, tag, kNumUserTags);
  Call call;
  call.sequence = group_->lanes[{sending, peer, tag}].next_sequence++;
  call.count = data.count;
  call.detail = tag;
  call.kind = CallKind::kPointToPoint;
  call.dtype = data.dtype;
  call.piece_bytes = piece_bytes_of(call.kind, group_->options.piece_bytes, size());
  return call;
}

Work ExchangeCommunicator::send(ConstTensorView data, int peer, int tag) {
  const Call call = next_message(true, data, peer, tag);
  return start(send_task(group_, call, tag_of(call), data, peer));
}

Work ExchangeCommunicator::receive(TensorView data, int peer, int tag) {
  const Call call = next_message(false, data, peer, tag);
  return start(receive_task(group_, call, tag_of(call), data, peer));
}

Work ExchangeCommunicator::barrier() {
  const Call call = next_call(CallKind::kBarrier, {nullptr, 0, DType::kUInt8});
  return start(barrier_task(group_, call, tag_of(call)));
}

// Found out before the transport splits: a library's own split knows no deadline and no names.
void ExchangeCommunicator::check_lists_agree(const std::vector<int>& ranks, const std::string& name) {
  struct Entry {
    int64_t color, length, hash;
  };
  const bool member = std::find(ranks.begin(), ranks.end(), rank()) != ranks.end();
  std::string text = name;
  for (int r : ranks) text += "," + std::to_string(r);
  Entry mine{-1, 0, 0};
  if (member)
    mine = {*std::min_element(ranks.begin(), ranks.end()), static_cast<int64_t>(ranks.size()),
            static_cast<int64_t>(std::hash<std::string>()(text))};
  std::vector<Entry> all(size());
  const Traffic traffic = group_->traffic;
  all_gather({&mine, 3, DType::kInt64}, {all.data(), 3 * static_cast<int64_t>(size()), DType::kInt64}).wait();
  group_->traffic = traffic;
  for (int r = 0; r < size(); ++r) {
    if (all[r].color < 0) continue;
    int64_t same = 0;
    for (const Entry& other : all)
      same += other.color == all[r].color && other.hash == all[r].hash && other.length == all[r].length;
    require(*group_, same == all[r].length,
            "split: name=" + name + ": " + group_->label(r) + " passed a list of " + std::to_string(all[r].length) +
                " ranks that " + std::to_string(same) + " ranks passed, itself included");
  }
}

std::unique_ptr<Communicator> ExchangeCommunicator::split(const std::vector<int>& ranks, const std::string& name) {
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  require(*group_, std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
          "split: name=" + name + ": a rank twice");
  require(*group_, sorted.empty() || (sorted.front() >= 0 && sorted.back() < size()),
          "split: name=" + name + ": a rank that is not in this group");
  check_lists_agree(ranks, name);
  const auto own = std::find(ranks.begin(), ranks.end(), rank());
  const bool member = own != ranks.end();
  std::shared_ptr<Transport> transport =
      group_->transport->split(member ? sorted.front() : -1, static_cast<int>(own - ranks.begin()));
  if (!member) return nullptr;
  auto group = std::make_shared<Group>();
  group->transport = transport;
  group->progress = group_->progress;
  group->scratch = group_->scratch;
  group->name = name;
  group->options = group_->options;
  for (int r : ranks) group->world_ranks.push_back(group_->world_ranks[r]);
  return std::unique_ptr<Communicator>(new ExchangeCommunicator(std::move(group)));
}

}  // namespace ds
