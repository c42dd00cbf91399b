#include "launcher/output/writer_thread.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace ds {
namespace {

constexpr size_t kPieceBytes = 256u << 10;
constexpr size_t kTerminalBytes = 4096;  // a longer write to a terminal would return only when all of it is on screen
constexpr auto kLookAgain = std::chrono::milliseconds(100);

}  // namespace

struct WriterThread::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<int, std::string>> queue;
  std::map<int, int> failures;
  std::atomic<size_t> queued{0};    // with what is being written
  std::atomic<uint64_t> written{0};
  std::atomic<bool> failed{false};
  bool stopping = false, ended = false;
  std::chrono::milliseconds patience{0};
  size_t wanted_bytes = 0;
  std::function<void()> wanted;
  std::thread thread;

  void run();
  int write_all(int fd, std::string_view text);  // 0 or errno
  void took(size_t bytes);
  void tell_if_below();
  void wait_below(size_t bytes, std::unique_lock<std::mutex>& lock);
};

// The thread must never be the one that a signal for the process is delivered to.
WriterThread::WriterThread() : state_(std::make_shared<State>()) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  state_->thread = std::thread([state = state_] { state->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WriterThread::~WriterThread() {
  drain();
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->wanted = nullptr;
  const bool stuck = !state_->queue.empty() || state_->queued > 0;
  state_->changed.notify_all();
  std::thread thread = std::move(state_->thread);
  lock.unlock();
  if (stuck) thread.detach();
  else thread.join();
}

void WriterThread::write(int fd, std::string_view text) {
  if (text.empty()) return;
  std::lock_guard lock(state_->mutex);
  auto& queue = state_->queue;
  const bool was_empty = queue.empty();
  state_->queued += text.size();
  if (!was_empty && queue.back().first == fd && queue.back().second.size() + text.size() <= kPieceBytes)
    queue.back().second += text;
  else
    queue.emplace_back(fd, text);
  if (was_empty) state_->changed.notify_all();
}

size_t WriterThread::queued_bytes() const { return state_->queued; }

void WriterThread::when_below(size_t bytes, std::function<void()> then) {
  std::lock_guard lock(state_->mutex);
  state_->wanted_bytes = bytes;
  state_->wanted = std::move(then);
  state_->tell_if_below();
}

void WriterThread::drain(size_t bytes) {
  std::unique_lock lock(state_->mutex);
  state_->wait_below(bytes, lock);
}

void WriterThread::set_patience(std::chrono::milliseconds patience) {
  std::lock_guard lock(state_->mutex);
  state_->patience = patience;
}

int WriterThread::failure(int fd) const {
  std::lock_guard lock(state_->mutex);
  auto it = state_->failures.find(fd);
  return it == state_->failures.end() ? 0 : it->second;
}

bool WriterThread::any_failure() const { return state_->failed; }

// ---- the thread

void WriterThread::State::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || !queue.empty(); });
    if (stopping) return;
    auto [fd, text] = std::move(queue.front());
    queue.pop_front();
    const bool skip = failures.count(fd) > 0;
    lock.unlock();
    const size_t before = written;
    const int problem = skip ? 0 : write_all(fd, text);
    lock.lock();
    const size_t done = written - before;
    if (problem != 0) failures.emplace(fd, problem);
    if (problem != 0) failed = true;
    if (done < text.size()) took(text.size() - done);
    tell_if_below();
    changed.notify_all();
  }
}

int WriterThread::State::write_all(int fd, std::string_view text) {
  const size_t most = ::isatty(fd) ? kTerminalBytes : text.size();
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), std::min(text.size(), most));
    if (n >= 0) {
      took(static_cast<size_t>(n));
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, 1000);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void WriterThread::State::took(size_t bytes) {
  written += bytes;
  queued -= bytes;
}

void WriterThread::State::tell_if_below() {
  if (wanted && queued <= wanted_bytes) std::exchange(wanted, nullptr)();
}

void WriterThread::State::wait_below(size_t bytes, std::unique_lock<std::mutex>& lock) {
  using Clock = std::chrono::steady_clock;
  uint64_t seen = written;
  auto moved = Clock::now();
  while (queued > bytes) {
    changed.wait_for(lock, kLookAgain);
    if (written != seen) {
      seen = written;
      moved = Clock::now();
    } else if (patience.count() > 0 && Clock::now() - moved >= patience) {
      return;
    }
  }
}

}  // namespace ds
