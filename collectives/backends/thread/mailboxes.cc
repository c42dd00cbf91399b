#include "collectives/backends/thread/mailboxes.h"

#include <cstring>

#include "topology/base/error.h"

namespace ds {

void Mailboxes::post(int to, Message message) {
  Box& box = boxes_[to];
  const std::lock_guard lock(box.mutex);
  box.messages.push_back(std::move(message));
}

bool Mailboxes::take(int owner, int context, int source, int tag, void* data, size_t bytes) {
  Box& box = boxes_[owner];
  const std::lock_guard lock(box.mutex);  // held while copying: a sender that withdraws must not free what is read
  for (auto it = box.messages.begin(); it != box.messages.end(); ++it) {
    if (it->context != context || it->source != source || it->tag != tag) continue;
    if (it->bytes > bytes)
      throw Error(ErrorCode::kInternal, "collectives: message of " + std::to_string(it->bytes) + " bytes from rank " +
                                            std::to_string(source) + ": there is room for " + std::to_string(bytes));
    if (it->bytes > 0) std::memcpy(data, it->copy ? it->copy.get() : it->data, it->bytes);
    it->taken->store(true, std::memory_order_release);
    box.messages.erase(it);
    return true;
  }
  return false;
}

void Mailboxes::withdraw(int to, const std::shared_ptr<std::atomic<bool>>& taken) {
  Box& box = boxes_[to];
  const std::lock_guard lock(box.mutex);
  box.messages.remove_if([&](const Message& message) { return message.taken == taken; });
}

int Mailboxes::context(int parent, int step, int color) {
  const std::lock_guard lock(contexts_mutex_);
  return contexts_.try_emplace({parent, step, color}, static_cast<int>(contexts_.size()) + 1).first->second;
}

void Mailboxes::close(const std::string& reason) {
  const std::lock_guard lock(reason_mutex_);
  if (closed_) return;
  reason_ = reason;
  closed_ = true;
}

void Mailboxes::throw_if_closed() const {
  if (!closed_) return;
  const std::lock_guard lock(reason_mutex_);
  throw Error(ErrorCode::kUnavailable, reason_);
}

}  // namespace ds
