// Timers and descriptor readiness on an io_context, without the weight of Asio in every file that waits for something.
// Single-threaded, except `post`. Nothing is called back after cancel() or destruction.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace ds {

using Action = std::function<void()>;

void post(boost::asio::io_context& io, Action action);  // from any thread; runs on the thread of the io_context

class Timer {
 public:
  explicit Timer(boost::asio::io_context& io);
  ~Timer();
  void after(std::chrono::nanoseconds delay, Action action);  // replaces what was waiting
  // At the next whole multiple of the period since boot: what is periodic in a process wakes it up once, not each for
  // itself.
  void at_next(std::chrono::nanoseconds period, Action action);
  void cancel();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Borrows the descriptor: destroy the watch before closing it. One watch per descriptor number.
class DescriptorWatch {
 public:
  DescriptorWatch(boost::asio::io_context& io, int fd);
  ~DescriptorWatch();
  void when_readable(Action action);  // once; also at end of file and on errors: the next read tells
  void when_writable(Action action);
  void cancel();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ds
