// Starts many children from several threads. A start waits until its child has left our memory (see process.cc), mostly on
// another core, so one thread after the other leaves cores idle.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ds {

class StartThreads {
 public:
  StartThreads() = default;
  ~StartThreads();

  // Calls `start` with 0 ... count - 1, several at a time, and returns when all have returned; throws what the first of
  // them threw. The threads stay until destruction: a child that dies with its parent dies with the thread it came from.
  void run(size_t count, const std::function<void(size_t)>& start);

 private:
  std::mutex mutex_;
  std::condition_variable done_, leave_;
  size_t working_ = 0;
  bool leaving_ = false;
  std::vector<std::jthread> threads_;  // last: they use the others until they have ended
};

}  // namespace ds
