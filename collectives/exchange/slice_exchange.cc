// all_gather and all_to_all: every rank sends every other one slice, straight into place.
#include <cstring>

#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/stream_set.h"

namespace ds {
namespace {

class SliceExchange final : public Task {
 public:
  // Sends `send_stride * peer` of `in` to each peer, receives into slice `peer` of `out`.
  SliceExchange(GroupPointer group, const Call& call, int tag, const char* in, size_t send_stride, char* out,
                size_t slice)
      : Task(std::move(group), call) {
    const int rank = group_->rank();
    const char* own = in + send_stride * rank;
    if (slice > 0 && own != out + slice * rank) std::memmove(out + slice * rank, own, slice);
    in_rotated_order(*group_, [&](int to, int from) {
      streams_.out.emplace_back(*group_, call_, to, tag, in + send_stride * to, slice);
      streams_.out.back().offer_all();
      streams_.in.push_back(std::make_unique<InStream>(*group_, call_, from, tag, out + slice * from, slice));
      streams_.in.back()->allow_all();
    });
  }
  bool advance() override { return streams_.advance(); }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  StreamSet streams_;
};

}  // namespace

std::unique_ptr<Task> all_gather_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out) {
  return std::make_unique<SliceExchange>(std::move(group), call, tag, static_cast<const char*>(in.data), 0,
                                         static_cast<char*>(out.data), in.count * size_of(in.dtype));
}

std::unique_ptr<Task> all_to_all_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out) {
  const size_t slice = in.count / group->size() * size_of(in.dtype);
  return std::make_unique<SliceExchange>(std::move(group), call, tag, static_cast<const char*>(in.data), slice,
                                         static_cast<char*>(out.data), slice);
}

}  // namespace ds
