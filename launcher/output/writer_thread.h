// Writes to descriptors from a thread of its own, in the order of the calls: a terminal that is not read, a reader that
// pauses or a disk that hangs never stops the thread that answers the agents. The queue has no bound by itself: who
// writes asks queued_bytes() and waits with when_below().
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ds {

class WriterThread {
 public:
  WriterThread();
  ~WriterThread();  // writes what is queued, as long as somebody takes it; see set_patience
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  void write(int fd, std::string_view text);  // borrowed; must stay open until it is drained
  size_t queued_bytes() const;
  // Calls `then` once, from the writing thread or at once, when at most so many bytes are queued. It must be short. A
  // second call takes the place of the first; nullptr takes it back: afterwards it is not called any more.
  void when_below(size_t bytes, std::function<void()> then);
  // Blocks until at most so many bytes are queued, or the reader has closed or was given up.
  void drain(size_t bytes = 0);
  // A descriptor that takes not a byte for so long is given up by drain() and the destructor; 0 (the default) = never.
  void set_patience(std::chrono::milliseconds patience);

  // errno of the first write to this descriptor that failed, 0 = none. What follows for it is thrown away.
  int failure(int fd) const;
  bool any_failure() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // a thread that is given up in its write() keeps it
};

}  // namespace ds
