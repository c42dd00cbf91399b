#include "agent/send_queue.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace ds {

static bool is_socket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

SendQueue::SendQueue(int fd) : fd_(fd), socket_(is_socket(fd)) {}

void SendQueue::push(std::string bytes) {
  if (bytes.empty()) return;
  pushed_ += bytes.size();
  parts_.push_back(std::move(bytes));
}

SendQueue::Progress SendQueue::write_some() {
  bool blocked = false;
  while (!parts_.empty()) {
    const auto rest = std::string_view(parts_.front()).substr(start_);
    const ssize_t n = socket_ ? ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                              : ::write(fd_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return Progress::kFailed;
    blocked = n < 0;
    if (blocked) break;
    written_ += static_cast<size_t>(n);
    start_ += static_cast<size_t>(n);
    if (start_ < parts_.front().size()) continue;
    parts_.pop_front();
    start_ = 0;
  }
  call_back();
  return blocked ? Progress::kBlocked : Progress::kAllWritten;
}

void SendQueue::when_written(std::function<void()> then) { waiting_.emplace_back(pushed_, std::move(then)); }

void SendQueue::clear() {
  parts_.clear();
  start_ = 0;
  written_ = pushed_;
  call_back();
}

// A callback may push, clear or wait again.
void SendQueue::call_back() {
  while (!waiting_.empty() && waiting_.front().first <= written_) {
    auto then = std::move(waiting_.front().second);
    waiting_.pop_front();
    then();
  }
}

}  // namespace ds
