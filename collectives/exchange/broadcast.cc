// broadcast. Small: the root sends all to all. Large: the root sends every other rank one slice, which those pass on to
// each other as it comes; so nobody sends more than about the whole once.
#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/slices.h"
#include "collectives/exchange/stream_set.h"
#include "collectives/traffic_formulas.h"

namespace ds {
namespace {

class Broadcast final : public Task {
 public:
  Broadcast(GroupPointer group, const Call& call, int tag, TensorView inout, int root)
      : Task(std::move(group), call),
        root_(root),
        element_(size_of(inout.dtype)),
        data_(static_cast<char*>(inout.data)),
        whole_(broadcast_is_small(inout.count, inout.dtype, group_->size())),
        slices_{inout.count, whole_ ? 1 : group_->size() - 1} {
    const int rank = group_->rank();
    in_rotated_order(*group_, [&](int to, int from) {
      if (rank == root_) {
        send(to, tag, to);
        streams_.out.back().offer_all();
      }
      if (rank != root_ && from == root_) receive(from, tag, rank);
      if (whole_ || rank == root_) return;
      if (to != root_) send(to, tag, rank);
      if (from != root_) receive(from, tag, from);
    });
  }

  bool advance() override {
    bool finished = streams_.advance();
    if (group_->rank() == root_ || whole_) return finished;
    for (OutStream& stream : streams_.out) stream.offer(from_root_->arrived());
    for (OutStream& stream : streams_.out) finished &= stream.advance();
    return finished;
  }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  // The slice of which `owner`, not the root, is the one that passes it on.
  int part(int owner) const { return whole_ ? 0 : (owner - root_ - 1 + group_->size()) % group_->size(); }
  char* begin(int owner) const { return data_ + slices_.begin(part(owner)) * element_; }
  size_t bytes(int owner) const { return slices_.size(part(owner)) * element_; }

  void send(int to, int tag, int owner) {
    streams_.out.emplace_back(*group_, call_, to, tag, begin(owner), bytes(owner));
  }
  void receive(int from, int tag, int owner) {
    streams_.in.push_back(std::make_unique<InStream>(*group_, call_, from, tag, begin(owner), bytes(owner)));
    streams_.in.back()->allow_all();
    if (from == root_) from_root_ = streams_.in.back().get();
  }

  const int root_;
  const size_t element_;
  char* const data_;
  const bool whole_;
  const Slices slices_;
  StreamSet streams_;
  InStream* from_root_ = nullptr;
};

}  // namespace

std::unique_ptr<Task> broadcast_task(GroupPointer group, Call call, int tag, TensorView inout, int root) {
  return std::make_unique<Broadcast>(std::move(group), call, tag, inout, root);
}

}  // namespace ds
