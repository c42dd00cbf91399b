// barrier: empty messages to all in small groups; by dissemination in large ones (Hensgen, Finkel, Manber 1988): in
// round k a rank tells the one 2^k further, and has heard of all after log2(n) rounds.
#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/stream_set.h"

namespace ds {
namespace {

constexpr int kLargestDirectGroup = 64;

class DirectBarrier final : public Task {
 public:
  DirectBarrier(GroupPointer group, const Call& call, int tag) : Task(std::move(group), call) {
    in_rotated_order(*group_, [&](int to, int from) {
      streams_.out.emplace_back(*group_, call_, to, tag, nullptr, 0);
      streams_.in.push_back(std::make_unique<InStream>(*group_, call_, from, tag, nullptr, 0));
    });
  }
  bool advance() override { return streams_.advance(); }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  StreamSet streams_;
};

class DisseminationBarrier final : public Task {
 public:
  DisseminationBarrier(GroupPointer group, const Call& call, int tag) : Task(std::move(group), call), tag_(tag) {
    open_round();
  }
  bool advance() override {
    while (streams_.advance()) {
      distance_ *= 2;
      if (distance_ >= group_->size()) return true;
      open_round();
    }
    return false;
  }
  std::vector<int> missing() const override { return streams_.missing(); }

 private:
  void open_round() {
    const int size = group_->size(), rank = group_->rank();
    streams_.out.emplace_back(*group_, call_, (rank + distance_) % size, tag_, nullptr, 0);
    streams_.in.push_back(
        std::make_unique<InStream>(*group_, call_, (rank + size - distance_) % size, tag_, nullptr, 0));
  }

  const int tag_;
  int distance_ = 1;
  StreamSet streams_;
};

}  // namespace

std::unique_ptr<Task> barrier_task(GroupPointer group, Call call, int tag) {
  if (group->size() <= kLargestDirectGroup) return std::make_unique<DirectBarrier>(std::move(group), call, tag);
  return std::make_unique<DisseminationBarrier>(std::move(group), call, tag);
}

}  // namespace ds
