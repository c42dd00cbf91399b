// send and receive over NCCL, which knows no tags and runs what it is given in order. Each direction between two ranks
// is a lane: a communicator of two with a stream of its own, so that no message waits behind another operation. The
// sender says over the host's transport what it has; the receiver answers with a grant once it wants just that; both
// enqueue in the order of the grants.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "collectives/backends/nccl/nccl_handle.h"
#include "collectives/exchange/progress.h"

namespace ds {

class MessageLane {
 public:
  MessageLane(std::shared_ptr<Group> group, std::shared_ptr<const CudaModule> module, int peer);
  ~MessageLane();
  MessageLane(const MessageLane&) = delete;
  MessageLane& operator=(const MessageLane&) = delete;

  struct Grant {
    Call call;  // the receiver's
    int64_t refused = 0;
  };

  // Sender: makes the pair's id and joins as rank 0. Receiver: joins as rank 1. Both once.
  const std::string& open_to_send();
  void open_to_receive(const char* id);
  bool is_open() const { return handle_ != nullptr; }
  NcclHandle& handle() { return *handle_; }
  int peer() const { return peer_; }

  // Sender's side. A message that the receiver refused throws kInternal naming both calls.
  void expect_grant() { ++expected_; }
  void collect_grants();
  void throw_if_refused(const Call& call);

  // Both sides: messages may be enqueued in this order.
  void grant(const Call& call) { granted_.push_back({call.detail, call.sequence}); }
  bool is_next(const Call& call) const { return !granted_.empty() && granted_.front() == key_of(call); }
  void leave(const Call& call) { std::erase(granted_, key_of(call)); }

 private:
  using Key = std::pair<int, int64_t>;  // tag, sequence
  static Key key_of(const Call& call) { return {call.detail, call.sequence}; }

  std::shared_ptr<Group> group_;
  std::shared_ptr<const CudaModule> module_;
  const int peer_;
  std::string id_;
  std::unique_ptr<NcclHandle> handle_;
  std::deque<Key> granted_;
  std::map<Key, Call> refused_;
  Grant incoming_;
  Ticket receiving_ = 0;
  bool posted_ = false;
  int expected_ = 0;  // grants that are still to come
};

std::unique_ptr<Task> nccl_send_task(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<MessageLane> lane,
                                     ConstTensorView data);
std::unique_ptr<Task> nccl_receive_task(std::shared_ptr<Group> group, const Call& call,
                                        std::shared_ptr<MessageLane> lane, TensorView data);

}  // namespace ds
