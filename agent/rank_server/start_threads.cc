#include "agent/rank_server/start_threads.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>

namespace ds {

static constexpr size_t kStartsPerThread = 4;  // a thread costs as much as a tenth of a start
static constexpr size_t kMostThreads = 8;

// Signals are for the thread of the event loop.
static void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

StartThreads::~StartThreads() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  leave_.notify_all();
}

void StartThreads::run(size_t count, const std::function<void(size_t)>& start) {
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        start(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  const size_t helpers = std::clamp<size_t>(count / kStartsPerThread, 1, kMostThreads) - 1;
  working_ = helpers;
  for (size_t i = 0; i < helpers; ++i)
    threads_.emplace_back([&, this] {
      block_signals();
      work();
      std::unique_lock lock(mutex_);
      if (--working_ == 0) done_.notify_one();
      leave_.wait(lock, [this] { return leaving_; });
    });
  work();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return working_ == 0; });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace ds
