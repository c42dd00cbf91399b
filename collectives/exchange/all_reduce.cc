// all_reduce. Large: a reduce_scatter of slices whose pieces are sent on to all as soon as they are reduced. Small:
// every rank sends all to all and reduces everything by itself, in the same order, so that the bits are the same.
#include <cstring>

#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/piece_reducer.h"
#include "collectives/exchange/slices.h"
#include "collectives/traffic_formulas.h"

namespace ds {
namespace {

class SmallAllReduce final : public Task {
 public:
  SmallAllReduce(GroupPointer group, const Call& call, int tag, TensorView inout, ReduceOp op)
      : Task(std::move(group), call),
        bytes_(inout.count * size_of(inout.dtype)),
        result_(group_->scratch->take(bytes_)),
        inout_(inout.data),
        reducer_(*group_, call_, tag, inout.data, result_.data(), bytes_, inout.dtype, op, streams_) {
    in_rotated_order(*group_, [&](int to, int) {
      streams_.out.emplace_back(*group_, call_, to, tag, inout.data, bytes_);
      streams_.out.back().offer_all();
    });
  }
  bool advance() override {
    const bool moved = streams_.advance();
    if (reducer_.advance() < bytes_ || !moved) return false;
    if (bytes_ > 0) std::memcpy(inout_, result_.data(), bytes_);  // only now: all of it has been sent
    return true;
  }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  const size_t bytes_;
  ScratchPool::Block result_;
  void* const inout_;
  StreamSet streams_;
  PieceReducer reducer_;
};

class LargeAllReduce final : public Task {
 public:
  LargeAllReduce(GroupPointer group, const Call& call, int tag, TensorView inout, ReduceOp op)
      : Task(std::move(group), call),
        slices_{inout.count, group_->size()},
        element_(size_of(inout.dtype)),
        data_(static_cast<char*>(inout.data)),
        reducer_(*group_, call_, tag, begin(group_->rank()), begin(group_->rank()), bytes(group_->rank()), inout.dtype,
                 op, scatter_) {
    in_rotated_order(*group_, [&](int to, int from) {
      scatter_.out.emplace_back(*group_, call_, to, tag, begin(to), bytes(to));
      scatter_.out.back().offer_all();
      gather_.out.emplace_back(*group_, call_, to, tag + 1, begin(group_->rank()), bytes(group_->rank()));
      gather_.in.push_back(std::make_unique<InStream>(*group_, call_, from, tag + 1, begin(from), bytes(from)));
    });
  }

  bool advance() override {
    bool finished = scatter_.advance();
    const size_t reduced = reducer_.advance();
    for (OutStream& stream : gather_.out) stream.offer(reduced);
    // What comes back for a peer's slice overwrites what was sent to that peer.
    const size_t peers = gather_.in.size();
    for (size_t i = 0; i < peers; ++i) gather_.in[i]->allow(scatter_.out[peers - 1 - i].released());
    finished &= gather_.advance();
    return finished;
  }

  std::vector<int> missing() const override {
    std::vector<int> missing = scatter_.missing();
    return missing.empty() ? gather_.missing() : missing;
  }

 private:
  char* begin(int rank) const { return data_ + slices_.begin(rank) * element_; }
  size_t bytes(int rank) const { return slices_.size(rank) * element_; }

  const Slices slices_;
  const size_t element_;
  char* const data_;
  StreamSet scatter_, gather_;
  PieceReducer reducer_;
};

}  // namespace

std::unique_ptr<Task> all_reduce_task(GroupPointer group, Call call, int tag, TensorView inout, ReduceOp op) {
  if (all_reduce_is_small(inout.count, inout.dtype, group->size()))
    return std::make_unique<SmallAllReduce>(std::move(group), call, tag, inout, op);
  return std::make_unique<LargeAllReduce>(std::move(group), call, tag, inout, op);
}

}  // namespace ds
