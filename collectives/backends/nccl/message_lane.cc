#include <cstring>

#include "collectives/backends/nccl/head_exchange.h"
#include "collectives/backends/nccl/nccl_messages.h"

namespace ds {

MessageLane::MessageLane(std::shared_ptr<Group> group, std::shared_ptr<const CudaModule> module, int peer)
    : group_(std::move(group)), module_(std::move(module)), peer_(peer) {}

MessageLane::~MessageLane() {
  if (posted_) group_->transport->forget(receiving_);
}

const std::string& MessageLane::open_to_send() {
  if (!handle_) {
    id_ = NcclHandle::unique_id(*module_);
    handle_ = std::make_unique<NcclHandle>(module_, group_->label() + " to " + group_->label(peer_), 2, id_.data(), 0);
  }
  return id_;
}

void MessageLane::open_to_receive(const char* id) {
  if (!handle_)
    handle_ = std::make_unique<NcclHandle>(module_, group_->label() + " from " + group_->label(peer_), 2, id, 1);
}

void MessageLane::collect_grants() {
  while (posted_ || expected_ > 0) {
    if (!posted_) {
      receiving_ = group_->transport->receive(&incoming_, sizeof incoming_, peer_, kGrantTag);
      posted_ = true;
      --expected_;
    }
    if (!group_->transport->finished(receiving_)) return;
    posted_ = false;
    if (incoming_.refused)
      refused_.emplace(key_of(incoming_.call), incoming_.call);
    else
      grant(incoming_.call);
  }
}

void MessageLane::throw_if_refused(const Call& call) {
  if (const auto found = refused_.find(key_of(call)); found != refused_.end())
    throw_disagreement(*group_, call, peer_, found->second);
}

}  // namespace ds
