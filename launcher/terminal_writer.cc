#include "launcher/terminal_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>

namespace ds {
namespace {

// False when nobody reads any more.
bool write_all(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n >= 0) {
      done += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, 1000);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

// The thread must never be the one that a signal for the process is delivered to.
TerminalWriter::TerminalWriter() {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TerminalWriter::~TerminalWriter() {
  thread_.request_stop();
  changed_.notify_all();
}

void TerminalWriter::write(int fd, std::string text) {
  if (text.empty()) return;
  std::lock_guard lock(mutex_);
  if (!queue_.empty() && queue_.back().first == fd) queue_.back().second += text;
  else queue_.emplace_back(fd, std::move(text));
  changed_.notify_all();
}

void TerminalWriter::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !writing_; });
}

void TerminalWriter::run(const std::stop_token& stop) {
  std::set<int> closed;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return !queue_.empty(); });
    if (queue_.empty()) return;
    auto [fd, text] = std::move(queue_.front());
    queue_.pop_front();
    writing_ = true;
    lock.unlock();
    if (!closed.count(fd) && !write_all(fd, text)) closed.insert(fd);
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }
}

}  // namespace ds
