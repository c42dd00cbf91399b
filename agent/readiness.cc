#include "agent/readiness.h"

#include <sys/epoll.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "topology/base/error.h"

namespace ds {

static constexpr int kMostEvents = 64;  // then timers and posted work have their turn
static constexpr uint32_t kAsked[] = {EPOLLIN | EPOLLRDHUP, EPOLLOUT};
static constexpr uint32_t kEnded = EPOLLHUP | EPOLLERR;

boost::asio::execution_context::id Readiness::id;

Readiness::Readiness(boost::asio::execution_context& context)
    : service(context),
      io_(static_cast<boost::asio::io_context&>(context)),
      set_(epoll_create1(EPOLL_CLOEXEC)),
      set_watch_(io_) {
  if (!set_) throw Error(ErrorCode::kInternal, std::string("event loop: no epoll set: ") + std::strerror(errno));
  set_watch_.assign(set_.get());
}

void Readiness::shutdown() {
  auto watches = std::exchange(watches_, {});  // their actions may own watches, whose end comes back here
  set_watch_.release();
}

uint64_t Readiness::add(int fd) {
  watches_[next_].fd = fd;
  return next_++;
}

void Readiness::remove(uint64_t id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  cancel(id);
  if (found->second.in_set) epoll_ctl(set_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watches_.erase(found);
}

void Readiness::when(uint64_t id, Direction direction, Action action) {
  Watch& watch = watches_.at(id);
  drop(watch.actions[direction]);
  watch.actions[direction] = std::move(action);
  ++waiting_;
  const uint32_t events = watch.asked | kAsked[direction];
  if (watch.pollable && (events != watch.asked || !watch.in_set)) ask(id, watch, events);
  if (!watch.pollable) call_soon(id, direction);
  wait();
}

void Readiness::cancel(uint64_t id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  for (Action& action : found->second.actions) drop(action);
  let_run_return();
}

// When nobody waits for anything, the set is not waited for either.
void Readiness::let_run_return() {
  if (waiting_ > 0 || !set_waited_for_ || taking_) return;
  boost::system::error_code ignored;
  set_watch_.cancel(ignored);
  set_waited_for_ = false;
  ++round_;
}

// It may own whoever cancels it, so it ends later.
void Readiness::drop(Action& action) {
  if (!action) return;
  --waiting_;
  boost::asio::post(io_, [old = std::exchange(action, nullptr)] {});
}

void Readiness::ask(uint64_t id, Watch& watch, uint32_t events) {
  epoll_event event{};
  event.events = watch.asked = events;
  event.data.u64 = id;
  const int error =
      epoll_ctl(set_.get(), watch.in_set ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, watch.fd, &event) == 0 ? 0 : errno;
  watch.pollable = error != EPERM;
  watch.in_set = error == 0;
  if (error && watch.pollable)
    throw Error(ErrorCode::kInternal, "event loop: fd=" + std::to_string(watch.fd) + ": " + std::strerror(error));
}

void Readiness::call_soon(uint64_t id, Direction direction) {
  boost::asio::post(io_, [this, id, direction] {
    call(id, direction);
    let_run_return();
  });
}

void Readiness::call(uint64_t id, Direction direction) {
  const auto found = watches_.find(id);
  if (found == watches_.end() || !found->second.actions[direction]) return;
  --waiting_;
  std::exchange(found->second.actions[direction], nullptr)();
}

void Readiness::wait() {
  if (set_waited_for_ || taking_ || waiting_ == 0) return;
  set_waited_for_ = true;
  const auto ready = [this, round = round_](const boost::system::error_code& error) {
    if (error || round != round_) return;  // cancelled, perhaps after it was queued
    set_waited_for_ = false;
    take_events();
  };
  set_watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read, ready);
}

// What an action throws leaves run() as it would without this set; what else is ready is told again.
void Readiness::take_events() {
  struct Turn {
    Readiness& set;
    explicit Turn(Readiness& owner) : set(owner) { set.taking_ = true; }
    ~Turn() {
      set.taking_ = false;
      set.wait();
    }
  } turn(*this);
  epoll_event events[kMostEvents];
  const int count = epoll_wait(set_.get(), events, kMostEvents, 0);
  for (int i = 0; i < count; ++i) take_event(events[i].data.u64, events[i].events);
}

void Readiness::take_event(uint64_t id, uint32_t events) {
  bool wanted = false;
  for (const Direction direction : {kRead, kWrite}) {
    const auto found = watches_.find(id);
    if (found == watches_.end()) return;
    if (!(events & (kAsked[direction] | kEnded)) || !found->second.actions[direction]) continue;
    wanted = true;
    call(id, direction);
  }
  if (const auto found = watches_.find(id); !wanted && found != watches_.end()) ask_less(id, found->second);
}

// It was told what nobody waits for now.
void Readiness::ask_less(uint64_t id, Watch& watch) {
  uint32_t events = 0;
  for (const Direction direction : {kRead, kWrite})
    if (watch.actions[direction]) events |= kAsked[direction];
  if (events) return ask(id, watch, events);
  // Out of the set, because an end is always told.
  if (watch.in_set) epoll_ctl(set_.get(), EPOLL_CTL_DEL, watch.fd, nullptr);
  watch.in_set = false;
  watch.asked = 0;
}

}  // namespace ds
