#include "collectives/backends/nccl/nccl_stages.h"

#include "collectives/exchange/slices.h"
#include "collectives/traffic_formulas.h"

namespace ds {
namespace {

int number(DType dtype) { return static_cast<int>(dtype); }
int number(ReduceOp op) { return static_cast<int>(op); }

char* at(void* data, int64_t element, DType dtype) {
  return static_cast<char*>(data) + element * static_cast<int64_t>(size_of(dtype));
}
const char* at(const void* data, int64_t element, DType dtype) { return at(const_cast<void*>(data), element, dtype); }

void copy(NcclHandle& handle, void* to, const void* from, int64_t count, DType dtype) {
  if (to == from || count == 0) return;
  handle.check_cuda(handle.table().copy(to, from, static_cast<size_t>(count) * size_of(dtype), handle.stream()),
                    "copying");
}

// Sends and receives that run at once. Errors wait for the end of the group: whatever is called inside one that stays open,
// an abort too, only waits in NCCL's queue for it.
class NcclGroup {
 public:
  explicit NcclGroup(NcclHandle& handle) : handle_(handle) {
    handle.check_nccl(handle.table().nccl_group_start(), "ncclGroupStart");
  }

  void send(const void* data, int64_t count, DType dtype, int peer) {
    if (count > 0)
      keep(handle_.table().nccl_send(data, count, number(dtype), peer, handle_.comm(), handle_.stream()), "ncclSend");
  }
  void receive(void* data, int64_t count, DType dtype, int peer) {
    if (count > 0)
      keep(handle_.table().nccl_receive(data, count, number(dtype), peer, handle_.comm(), handle_.stream()),
           "ncclRecv");
  }
  void end() {
    keep(handle_.table().nccl_group_end(), "ncclGroupEnd");
    handle_.check_nccl(code_, what_);
  }

 private:
  void keep(int code, const char* what) {
    const bool failed_before = code_ != DS_NCCL_SUCCESS && code_ != DS_NCCL_IN_PROGRESS;
    if (failed_before || code == DS_NCCL_SUCCESS) return;
    code_ = code;
    what_ = what;
  }

  NcclHandle& handle_;
  int code_ = DS_NCCL_SUCCESS;
  const char* what_ = "";
};

// Calls f(group, peer) for all others inside one group.
template <class Function>
void grouped(NcclHandle& handle, NcclRank me, Function f) {
  NcclGroup group(handle);
  for (int step = 1; step < me.size; ++step) f(group, (me.rank + step) % me.size);
  group.end();
}

void sum(NcclHandle& handle, void* out, const void* leaves, int n, int64_t count, DType dtype, ReduceOp op) {
  handle.check_cuda(handle.table().ordered_sum(out, leaves, n, count, number(dtype), number(op), handle.stream()),
                    "the ordered sum");
}

// The pieces of slice `me` of all ranks, in rank order, in scratch memory; then their sum in `out`.
NcclOperation::Stage exchange_slices(NcclRank me, const void* in, Slices slices, DType dtype) {
  return [=](NcclHandle& handle) {
    const int64_t own = slices.size(me.rank);
    void* pieces = handle.scratch(static_cast<size_t>(own) * me.size * size_of(dtype));
    copy(handle, at(pieces, me.rank * own, dtype), at(in, slices.begin(me.rank), dtype), own, dtype);
    grouped(handle, me, [&](NcclGroup& group, int peer) {
      group.send(at(in, slices.begin(peer), dtype), slices.size(peer), dtype, peer);
      group.receive(at(pieces, peer * own, dtype), own, dtype, peer);
    });
  };
}

NcclOperation::Stage sum_slices(NcclRank me, void* out, int64_t count, DType dtype, ReduceOp op) {
  return [=](NcclHandle& handle) {
    sum(handle, out, handle.scratch(static_cast<size_t>(count) * me.size * size_of(dtype)), me.size, count, dtype, op);
  };
}

}  // namespace

NcclStages all_gather_stages(ConstTensorView in, TensorView out) {
  return {[=](NcclHandle& handle) {
    handle.check_nccl(handle.table().nccl_all_gather(in.data, out.data, in.count, number(in.dtype), handle.comm(),
                                                     handle.stream()),
                      "ncclAllGather");
  }};
}

NcclStages broadcast_stages(TensorView inout, int root) {
  return {[=](NcclHandle& handle) {
    handle.check_nccl(handle.table().nccl_broadcast(inout.data, inout.count, number(inout.dtype), root, handle.comm(),
                                                    handle.stream()),
                      "ncclBroadcast");
  }};
}

NcclStages all_to_all_stages(NcclRank me, ConstTensorView in, TensorView out) {
  return {[=](NcclHandle& handle) {
    const int64_t slice = in.count / me.size;
    copy(handle, at(out.data, me.rank * slice, out.dtype), at(in.data, me.rank * slice, in.dtype), slice, in.dtype);
    grouped(handle, me, [&](NcclGroup& group, int peer) {
      group.send(at(in.data, peer * slice, in.dtype), slice, in.dtype, peer);
      group.receive(at(out.data, peer * slice, out.dtype), slice, out.dtype, peer);
    });
  }};
}

NcclStages ordered_all_reduce_stages(NcclRank me, TensorView inout, ReduceOp op) {
  const DType dtype = inout.dtype;
  if (all_reduce_is_small(inout.count, dtype, me.size)) {
    const auto gather = [=](NcclHandle& handle) {
      void* all = handle.scratch(static_cast<size_t>(inout.count) * me.size * size_of(dtype));
      handle.check_nccl(handle.table().nccl_all_gather(inout.data, all, inout.count, number(dtype), handle.comm(),
                                                       handle.stream()),
                        "ncclAllGather");
    };
    return {gather, sum_slices(me, inout.data, inout.count, dtype, op)};
  }
  const Slices slices{inout.count, me.size};
  char* own = at(inout.data, slices.begin(me.rank), dtype);
  const auto share = [=](NcclHandle& handle) {
    grouped(handle, me, [&](NcclGroup& group, int peer) {
      group.send(own, slices.size(me.rank), dtype, peer);
      group.receive(at(inout.data, slices.begin(peer), dtype), slices.size(peer), dtype, peer);
    });
  };
  return {exchange_slices(me, inout.data, slices, dtype), sum_slices(me, own, slices.size(me.rank), dtype, op), share};
}

NcclStages ordered_reduce_scatter_stages(NcclRank me, ConstTensorView in, TensorView out, ReduceOp op) {
  const Slices slices{in.count, me.size};
  return {exchange_slices(me, in.data, slices, in.dtype), sum_slices(me, out.data, out.count, in.dtype, op)};
}

bool nccl_reduces(DType dtype) { return dtype != DType::kUInt16; }

NcclStages native_all_reduce_stages(TensorView inout, ReduceOp op) {
  return {[=](NcclHandle& handle) {
    handle.check_nccl(handle.table().nccl_all_reduce(inout.data, inout.count, number(inout.dtype), number(op),
                                                     handle.comm(), handle.stream()),
                      "ncclAllReduce");
  }};
}

NcclStages native_reduce_scatter_stages(ConstTensorView in, TensorView out, ReduceOp op) {
  return {[=](NcclHandle& handle) {
    handle.check_nccl(handle.table().nccl_reduce_scatter(in.data, out.data, out.count, number(in.dtype), number(op),
                                                         handle.comm(), handle.stream()),
                      "ncclReduceScatter");
  }};
}

}  // namespace ds
