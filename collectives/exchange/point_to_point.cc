// send and receive: one stream, after the earlier ones of its lane.
#include <algorithm>

#include "collectives/exchange/algorithms.h"
#include "collectives/exchange/stream.h"

namespace ds {
namespace {

template <class Stream>
class PointToPoint final : public Task {
 public:
  template <class Data>
  PointToPoint(GroupPointer group, const Call& call, int tag, const Data& data, int peer)
      : Task(std::move(group), call),
        lane_(group_->lanes[{std::is_same_v<Stream, OutStream>, peer, call.detail}]),
        stream_(*group_, call_, peer, tag, data.data, data.count * size_of(data.dtype)) {
    if constexpr (std::is_same_v<Stream, OutStream>)
      stream_.offer_all();
    else
      stream_.allow_all();
    lane_.waiting.push_back(this);
  }
  ~PointToPoint() override { std::erase(lane_.waiting, this); }

  bool advance() override { return lane_.waiting.front() == this && stream_.advance(); }
  std::vector<int> missing() const override { return {stream_.peer()}; }

 private:
  Group::LaneState& lane_;
  Stream stream_;
};

}  // namespace

std::unique_ptr<Task> send_task(GroupPointer group, Call call, int tag, ConstTensorView data, int peer) {
  return std::make_unique<PointToPoint<OutStream>>(std::move(group), call, tag, data, peer);
}

std::unique_ptr<Task> receive_task(GroupPointer group, Call call, int tag, TensorView data, int peer) {
  return std::make_unique<PointToPoint<InStream>>(std::move(group), call, tag, data, peer);
}

}  // namespace ds
