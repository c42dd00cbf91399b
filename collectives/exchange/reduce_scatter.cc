// reduce_scatter: every rank sends every other its slice and reduces its own.
#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/piece_reducer.h"

namespace ds {
namespace {

class ReduceScatter final : public Task {
 public:
  ReduceScatter(GroupPointer group, const Call& call, int tag, ConstTensorView in, TensorView out, ReduceOp op)
      : Task(std::move(group), call),
        slice_(out.count * size_of(out.dtype)),
        reducer_(*group_, call_, tag, slice(in, group_->rank()), out.data, slice_, out.dtype, op, streams_) {
    in_rotated_order(*group_, [&](int to, int) {
      streams_.out.emplace_back(*group_, call_, to, tag, slice(in, to), slice_);
      streams_.out.back().offer_all();
    });
  }
  bool advance() override {
    const bool moved = streams_.advance();
    return reducer_.advance() == slice_ && moved;
  }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  const char* slice(ConstTensorView in, int rank) const { return static_cast<const char*>(in.data) + slice_ * rank; }

  const size_t slice_;
  StreamSet streams_;
  PieceReducer reducer_;
};

}  // namespace

std::unique_ptr<Task> reduce_scatter_task(GroupPointer group, Call call, int tag, ConstTensorView in, TensorView out,
                                          ReduceOp op) {
  return std::make_unique<ReduceScatter>(std::move(group), call, tag, in, out, op);
}

}  // namespace ds
