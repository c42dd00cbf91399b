#include "collectives/backends/nccl/nccl_messages.h"

#include <cstring>

#include "collectives/backends/nccl/head_exchange.h"
#include "collectives/backends/nccl/stream_event.h"

namespace ds {
namespace {

struct MessageHead {
  Call call;
  char id[DS_NCCL_ID_BYTES];
};

// What both ends do once the message is granted: enqueue, and see it arrive.
class Transfer {
 public:
  explicit Transfer(MessageLane& lane) : lane_(lane) {}

  // `enqueue` makes the NCCL call. True when the data is through.
  template <class Enqueue>
  bool advance(const Call& call, Enqueue enqueue) {
    if (lane_.is_open()) lane_.handle().throw_if_aborted();
    if (!event_) {
      if (!lane_.is_next(call) || !lane_.handle().ready()) return false;
      if (!enqueued_) enqueue(lane_.handle());
      enqueued_ = true;
      if (!lane_.handle().ready()) return false;
      event_ = std::make_unique<StreamEvent>(lane_.handle());
      event_->record();
      lane_.leave(call);
    }
    const bool reached = event_->reached();
    if (!reached) lane_.handle().ready();  // throws NCCL's asynchronous errors
    return reached;
  }

 private:
  MessageLane& lane_;
  bool enqueued_ = false;
  std::unique_ptr<StreamEvent> event_;
};

class MessageTask : public Task {
 public:
  MessageTask(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<MessageLane> lane)
      : Task(std::move(group), call), lane_(std::move(lane)), transfer_(*lane_) {}
  ~MessageTask() override {
    if (!finished_) close("was given up");
    lane_->leave(call_);
  }
  bool advance() final {
    try {
      finished_ = finished_ || step();
      return finished_;
    } catch (const std::exception& error) {
      close(error.what());
      throw;
    }
  }
  void give_up(const std::string& why) final { close(why); }
  std::vector<int> missing() const final { return {lane_->peer()}; }

 protected:
  virtual bool step() = 0;
  void close(const std::string& why) {
    if (lane_->is_open()) lane_->handle().abort(describe(call_) + ": " + why);
  }

  std::shared_ptr<MessageLane> lane_;
  Transfer transfer_;
  bool finished_ = false;
};

class SendTask final : public MessageTask {
 public:
  SendTask(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<MessageLane> lane, ConstTensorView data)
      : MessageTask(std::move(group), call, std::move(lane)), data_(data), head_{call_, {}} {
    std::memcpy(head_.id, lane_->open_to_send().data(), sizeof head_.id);
    lane_->handle().check_cuda(lane_->handle().table().stream_follow_default(lane_->handle().stream()),
                               "waiting for the default stream");
    head_ticket_ = group_->transport->send(&head_, sizeof head_, lane_->peer(), kFirstMessageTag + call_.detail);
    lane_->expect_grant();
  }
  ~SendTask() override {
    if (!head_sent_) group_->transport->forget(head_ticket_);
  }

 private:
  bool step() override {
    if (!head_sent_) head_sent_ = group_->transport->finished(head_ticket_);
    lane_->collect_grants();
    lane_->throw_if_refused(call_);
    const bool through = transfer_.advance(call_, [&](NcclHandle& handle) {
      if (data_.count > 0)
        handle.check_nccl(handle.table().nccl_send(data_.data, data_.count, static_cast<int>(data_.dtype), 1,
                                                   handle.comm(), handle.stream()),
                          "ncclSend");
    });
    return through && head_sent_;
  }

  const ConstTensorView data_;
  MessageHead head_;
  Ticket head_ticket_ = 0;
  bool head_sent_ = false;
};

class ReceiveTask final : public MessageTask {
 public:
  ReceiveTask(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<MessageLane> lane, TensorView data)
      : MessageTask(std::move(group), call, std::move(lane)), data_(data) {
    head_ticket_ = group_->transport->receive(&head_, sizeof head_, lane_->peer(), kFirstMessageTag + call_.detail);
  }
  ~ReceiveTask() override {
    if (!head_seen_) group_->transport->forget(head_ticket_);
    if (head_seen_ && !grant_sent_) group_->transport->forget(grant_ticket_);
  }

 private:
  bool step() override {
    if (!head_seen_) {
      if (!group_->transport->finished(head_ticket_)) return false;
      read_head();
    }
    if (!grant_sent_) grant_sent_ = group_->transport->finished(grant_ticket_);
    const bool through = transfer_.advance(call_, [&](NcclHandle& handle) {
      if (data_.count > 0)
        handle.check_nccl(handle.table().nccl_receive(data_.data, data_.count, static_cast<int>(data_.dtype), 0,
                                                      handle.comm(), handle.stream()),
                          "ncclRecv");
    });
    return through && grant_sent_;
  }

  void read_head() {
    const bool agreed = head_.call == call_;
    if (agreed) {
      lane_->open_to_receive(head_.id);
      lane_->handle().check_cuda(lane_->handle().table().stream_follow_default(lane_->handle().stream()),
                                 "waiting for the default stream");
      lane_->grant(call_);
    }
    grant_ = {call_, agreed ? 0 : 1};
    grant_ticket_ = group_->transport->send(&grant_, sizeof grant_, lane_->peer(), kGrantTag);
    head_seen_ = true;
    if (!agreed) throw_disagreement(*group_, call_, lane_->peer(), head_.call);
  }

  const TensorView data_;
  MessageHead head_{};
  MessageLane::Grant grant_;
  Ticket head_ticket_ = 0, grant_ticket_ = 0;
  bool head_seen_ = false, grant_sent_ = false;
};

}  // namespace

std::unique_ptr<Task> nccl_send_task(std::shared_ptr<Group> group, const Call& call, std::shared_ptr<MessageLane> lane,
                                     ConstTensorView data) {
  return std::make_unique<SendTask>(std::move(group), call, std::move(lane), data);
}

std::unique_ptr<Task> nccl_receive_task(std::shared_ptr<Group> group, const Call& call,
                                        std::shared_ptr<MessageLane> lane, TensorView data) {
  return std::make_unique<ReceiveTask>(std::move(group), call, std::move(lane), data);
}

}  // namespace ds
