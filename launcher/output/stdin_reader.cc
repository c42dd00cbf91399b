#include "launcher/output/stdin_reader.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "agent/event_loop.h"

namespace ds {
namespace {

constexpr size_t kPiece = 64 << 10;

bool in_background() { return ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp(); }

}  // namespace

StdinReader::StdinReader(boost::asio::io_context& io, std::function<void(const std::string&, bool)> on_bytes)
    : io_(io), on_bytes_(std::move(on_bytes)), wake_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

StdinReader::~StdinReader() {
  *alive_ = false;
  thread_.request_stop();
  uint64_t one = 1;
  ssize_t ignored = ::write(wake_.get(), &one, sizeof one);
  (void)ignored;
  changed_.notify_all();
}

void StdinReader::allow_next() {
  std::lock_guard lock(mutex_);
  allowed_ = true;
  changed_.notify_all();
}

bool StdinReader::wait_readable(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    bool background = in_background();
    int ready = ::poll(background ? fds + 1 : fds, background ? 1 : 2, background ? 1000 : -1);
    if (ready > 0 && !background && fds[0].revents) return true;
  }
  return false;
}

void StdinReader::run(const std::stop_token& stop) {
  bool end = false;
  while (!end) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return allowed_; })) return;
      allowed_ = false;
    }
    if (!wait_readable(stop)) return;
    std::string bytes(kPiece, '\0');
    ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) n = 0;
    else end = n <= 0;
    bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
    post(io_, [this, alive = alive_, bytes = std::move(bytes), end] {
      if (*alive) on_bytes_(bytes, end);
    });
  }
}

}  // namespace ds
