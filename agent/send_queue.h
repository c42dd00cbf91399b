// Bytes on their way into a descriptor that must not block: kept here until the kernel takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace ds {

class SendQueue {
 public:
  enum class Progress { kAllWritten, kBlocked, kFailed };  // failed: errno says why

  explicit SendQueue(int fd);  // borrowed; a socket or a pipe

  void push(std::string bytes);
  Progress write_some();
  size_t queued_bytes() const { return static_cast<size_t>(pushed_ - written_); }

  // Calls `then`, out of write_some() or clear(), once everything pushed so far is written or given up.
  void when_written(std::function<void()> then);
  void clear();  // gives up what is queued

 private:
  void call_back();

  int fd_;
  bool socket_;
  std::deque<std::string> parts_;
  size_t start_ = 0;  // what of the first part is written
  uint64_t pushed_ = 0, written_ = 0;
  std::deque<std::pair<uint64_t, std::function<void()>>> waiting_;
};

}  // namespace ds
