#include "agent/event_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace ds {

namespace asio = boost::asio;

void post(asio::io_context& io, Action action) { asio::post(io, std::move(action)); }

// The counter tells a completion that was already queued when it was cancelled from one that is still wanted.
struct Timer::State {
  explicit State(asio::io_context& io) : timer(io) {}
  asio::steady_timer timer;
  uint64_t round = 0;
};

Timer::Timer(asio::io_context& io) : state_(std::make_shared<State>(io)) {}
Timer::~Timer() { cancel(); }

void Timer::after(std::chrono::nanoseconds delay, Action action) {
  cancel();
  state_->timer.expires_after(delay);
  state_->timer.async_wait(
      [state = state_, round = state_->round, action = std::move(action)](const boost::system::error_code& error) {
        if (!error && round == state->round) action();
      });
}

void Timer::cancel() {
  ++state_->round;
  state_->timer.cancel();
}

struct DescriptorWatch::State {
  State(asio::io_context& io, int fd) : descriptor(io, fd) {}
  asio::posix::stream_descriptor descriptor;
  uint64_t round = 0;
};

DescriptorWatch::DescriptorWatch(asio::io_context& io, int fd) : state_(std::make_shared<State>(io, fd)) {}

DescriptorWatch::~DescriptorWatch() {
  cancel();
  state_->descriptor.release();
}

template <typename State>
static auto unless_cancelled(std::shared_ptr<State> state, Action action) {
  return [state, round = state->round, action = std::move(action)](const boost::system::error_code& error) {
    if (error != asio::error::operation_aborted && round == state->round) action();
  };
}

void DescriptorWatch::when_readable(Action action) {
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read, unless_cancelled(state_, std::move(action)));
}

void DescriptorWatch::when_writable(Action action) {
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_write,
                                unless_cancelled(state_, std::move(action)));
}

void DescriptorWatch::cancel() {
  ++state_->round;
  boost::system::error_code ignored;
  state_->descriptor.cancel(ignored);
}

}  // namespace ds
