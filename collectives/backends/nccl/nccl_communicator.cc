#include "collectives/backends/nccl/nccl_communicator.h"

#include <algorithm>

#include "collectives/backends/nccl/nccl_stages.h"
#include "collectives/exchange/argument_checks.h"
#include "collectives/exchange/backoff.h"
#include "collectives/traffic_formulas.h"
#include "topology/base/error.h"

namespace ds {

NcclCommunicator::NcclCommunicator(std::unique_ptr<ExchangeCommunicator> host, std::shared_ptr<NcclHandle> handle,
                                   std::shared_ptr<const CudaModule> module)
    : host_(std::move(host)), group_(host_->group()), handle_(std::move(handle)), module_(std::move(module)) {}

NcclCommunicator::~NcclCommunicator() {
  while (!lanes_.empty()) lanes_.erase(lanes_.begin());
}

// Empty tensors have no place; they take the host's way on all ranks alike.
bool NcclCommunicator::on_device(ConstTensorView view) const {
  if (view.count == 0) return false;
  int is_device = 0;
  handle_->check_cuda(module_->table->is_device_memory(view.data, &is_device), "asking where a tensor is");
  return is_device != 0;
}

Call NcclCommunicator::next_call(CallKind kind, ConstTensorView data, int detail) {
  Call call;
  call.sequence = group_->next_sequence++;
  call.count = data.count;
  call.detail = detail;
  call.kind = kind;
  call.dtype = data.dtype;
  call.piece_bytes = data.count * static_cast<int64_t>(size_of(data.dtype));  // NCCL cuts as it likes
  return call;
}

Work NcclCommunicator::start_stages(const Call& call, std::vector<NcclOperation::Stage> stages, int64_t bytes_sent) {
  group_->sent(call.kind) += bytes_sent;
  return ds::start(std::make_unique<NcclOperation>(group_, call, handle_, std::move(stages)));
}

Work NcclCommunicator::all_reduce(TensorView inout, ReduceOp op) {
  if (!on_device(inout)) return host_->all_reduce(inout, op);
  const Call call = next_call(CallKind::kAllReduce, inout, static_cast<int>(op));
  const bool native = options().reduction == Reduction::kFastest && nccl_reduces(inout.dtype);
  return start_stages(call,
                      native ? native_all_reduce_stages(inout, op)
                             : ordered_all_reduce_stages({rank(), size()}, inout, op),
                      all_reduce_bytes_sent(inout.count, inout.dtype, size(), rank()));
}

Work NcclCommunicator::all_gather(ConstTensorView in, TensorView out) {
  check_all_gather(*group_, in, out);
  if (!on_device(in)) return host_->all_gather(in, out);
  return start_stages(next_call(CallKind::kAllGather, in), all_gather_stages(in, out),
                      all_gather_bytes_sent(in.count, in.dtype, size()));
}

Work NcclCommunicator::reduce_scatter(ConstTensorView in, TensorView out, ReduceOp op) {
  check_reduce_scatter(*group_, in, out);
  if (!on_device(in)) return host_->reduce_scatter(in, out, op);
  const Call call = next_call(CallKind::kReduceScatter, in, static_cast<int>(op));
  const bool native = options().reduction == Reduction::kFastest && nccl_reduces(in.dtype);
  return start_stages(call,
                      native ? native_reduce_scatter_stages(in, out, op)
                             : ordered_reduce_scatter_stages({rank(), size()}, in, out, op),
                      reduce_scatter_bytes_sent(in.count, in.dtype, size()));
}

Work NcclCommunicator::broadcast(TensorView inout, int root) {
  check_root(*group_, root);
  if (!on_device(inout)) return host_->broadcast(inout, root);
  return start_stages(next_call(CallKind::kBroadcast, inout, root), broadcast_stages(inout, root),
                      broadcast_bytes_sent(inout.count, inout.dtype, size(), rank(), root));
}

Work NcclCommunicator::all_to_all(ConstTensorView in, TensorView out) {
  check_all_to_all(*group_, in, out);
  if (!on_device(in)) return host_->all_to_all(in, out);
  return start_stages(next_call(CallKind::kAllToAll, in), all_to_all_stages({rank(), size()}, in, out),
                      all_to_all_bytes_sent(in.count, in.dtype, size()));
}

Call NcclCommunicator::next_message(bool sending, ConstTensorView data, int peer, int tag) {
  check_message(*group_, sending, peer, tag, kNumMessageTags);
  Call call = next_call(CallKind::kPointToPoint, data, tag);
  --group_->next_sequence;  // messages count within their peer and tag
  call.sequence = group_->lanes[{sending, peer, tag}].next_sequence++;
  call.piece_bytes = 0;
  return call;
}

const std::shared_ptr<MessageLane>& NcclCommunicator::lane(bool sending, int peer) {
  const int me = group_->rank();
  auto& lane = lanes_[{std::min(me, peer), std::max(me, peer), sending ? me : peer}];
  if (!lane) lane = std::make_shared<MessageLane>(group_, module_, peer);
  return lane;
}

Work NcclCommunicator::send(ConstTensorView data, int peer, int tag) {
  check_message(*group_, true, peer, tag, kNumMessageTags);
  if (!on_device(data)) return host_->send(data, peer, tag);
  const Call call = next_message(true, data, peer, tag);
  group_->sent(call.kind) += data.count * static_cast<int64_t>(size_of(data.dtype));
  return ds::start(nccl_send_task(group_, call, lane(true, peer), data));
}

Work NcclCommunicator::receive(TensorView data, int peer, int tag) {
  check_message(*group_, false, peer, tag, kNumMessageTags);
  if (!on_device(data)) return host_->receive(data, peer, tag);
  const Call call = next_message(false, data, peer, tag);
  return ds::start(nccl_receive_task(group_, call, lane(false, peer), data));
}

std::unique_ptr<Communicator> NcclCommunicator::split(const std::vector<int>& ranks, const std::string& name) {
  // The host's split first: it finds out whether all ranks are here and agree; NCCL's would hang.
  std::unique_ptr<Communicator> child = host_->split(ranks, name);
  const bool member = child != nullptr;
  const int color = member ? *std::min_element(ranks.begin(), ranks.end()) : -1;
  wait_until_ready(*group_, *handle_, "split of " + name);
  const std::string label =
      member ? static_cast<ExchangeCommunicator&>(*child).group()->label() : group_->label() + " without " + name;
  std::unique_ptr<NcclHandle> handle = handle_->split(color, member ? child->rank() : 0, label);
  wait_until_ready(*group_, *handle_, "split of " + name);
  if (!member) return nullptr;
  wait_until_ready(*group_, *handle, "split of " + name);
  std::unique_ptr<ExchangeCommunicator> host(static_cast<ExchangeCommunicator*>(child.release()));
  return std::make_unique<NcclCommunicator>(std::move(host), std::move(handle), module_);
}

void wait_until_ready(Group& group, NcclHandle& handle, const std::string& what) {
  Backoff backoff;
  while (!handle.idle() || !handle.ready()) {
    if (group.progress->poll()) backoff.reset();
    if (auto failure = group.progress->failure()) {
      handle.abort(what + ": another operation failed");  // NCCL may still write into a child of the handle
      std::rethrow_exception(failure);
    }
    if (backoff.waited() > group.options.deadline) {
      handle.abort(what + ": deadline passed");
      throw Error(ErrorCode::kDeadline, "collectives: " + what + " on " + group.label() + ": " +
                                            group.label(group.rank()) + " waited " +
                                            std::to_string(group.options.deadline.count()) +
                                            " ms for NCCL to form a communicator: a rank has stopped, or a network "
                                            "that NCCL uses is out of reach");
    }
    backoff.pause();
  }
}

}  // namespace ds
