// How much output of the ranks of one host may be on its way to a launcher that has not taken it yet; those who read it
// from the ranks wait here for their turn, first come, first served. So a launcher that waits for a slow reader keeps a
// bounded amount in memory, and its other messages are not behind more than that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <utility>

namespace ds {

class OutputWindow {
 public:
  explicit OutputWindow(uint64_t limit_bytes) : limit_(limit_bytes) {}  // 0 = no limit

  bool has_room() const { return limit_ == 0 || sent_ - taken_ < limit_; }
  void sent(uint64_t bytes) { sent_ += bytes; }
  // OutputTaken: so far, with output that is not counted here (stack traces). Calls those who wait, as long as there is room.
  void taken(uint64_t total) {
    taken_ = std::max(taken_, std::min(total, sent_));
    for (size_t left = waiting_.size(); left > 0 && !waiting_.empty() && has_room(); --left) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      next();  // may wait again, at the end
    }
  }
  void when_room(std::function<void()> then) { waiting_.push_back(std::move(then)); }

 private:
  uint64_t limit_, sent_ = 0, taken_ = 0;
  std::list<std::function<void()>> waiting_;
};

}  // namespace ds
