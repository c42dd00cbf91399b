#include "agent/event_loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "agent/readiness.h"

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

void Timer::at_next(std::chrono::nanoseconds period, Action action) {
  after(period - std::chrono::steady_clock::now().time_since_epoch() % period, std::move(action));
}

void Timer::cancel() {
  ++state_->round;
  state_->timer.cancel();
}

struct DescriptorWatch::State {
  State(asio::io_context& io, int fd) : readiness(asio::use_service<Readiness>(io)), id(readiness.add(fd)) {}
  Readiness& readiness;
  const uint64_t id;
};

DescriptorWatch::DescriptorWatch(asio::io_context& io, int fd) : state_(std::make_shared<State>(io, fd)) {}
DescriptorWatch::~DescriptorWatch() { state_->readiness.remove(state_->id); }

void DescriptorWatch::when_readable(Action action) {
  state_->readiness.when(state_->id, Readiness::kRead, std::move(action));
}

void DescriptorWatch::when_writable(Action action) {
  state_->readiness.when(state_->id, Readiness::kWrite, std::move(action));
}

void DescriptorWatch::cancel() { state_->readiness.cancel(state_->id); }

}  // namespace ds
