#include "agent/output_relay.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "agent/channel.h"
#include "agent/output_window.h"

namespace ds {

static constexpr size_t kFullChannelBytes = 4u << 20;
static constexpr size_t kReadBytes = 64u << 10;
static constexpr ssize_t kLongRead = 1024;  // after which there may be more
static constexpr int kReadsPerTurn = 8;
static constexpr auto kRetryPause = std::chrono::milliseconds(5);
static constexpr auto kRestPause = std::chrono::milliseconds(100);

OutputRelay::OutputRelay(boost::asio::io_context& io, FileDescriptor pipe, Options options, OnLines on_lines)
    : pipe_(std::move(pipe)),
      watch_(std::make_unique<DescriptorWatch>(io, pipe_.get())),
      pause_(io),
      rest_timer_(io),
      options_(std::move(options)),
      on_lines_(std::move(on_lines)) {
  fcntl(pipe_.get(), F_SETFL, fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  wait();
}

bool OutputRelay::may_read() const {
  return options_.channel->queued_bytes() <= kFullChannelBytes && (!options_.window || options_.window->has_room());
}

void OutputRelay::wait() {
  if (!pipe_) return;
  if (options_.window && !options_.window->has_room())
    return options_.window->when_room([this, alive = std::weak_ptr<bool>(alive_)] {
      if (!alive.expired()) wait();
    });
  if (!may_read()) return pause_.after(kRetryPause, [this] { wait(); });
  watch_->when_readable([this] {
    for (int i = 0; i < kReadsPerTurn && may_read() && read_once(); ++i) {
    }
    wait();
  });
}

bool OutputRelay::read_once() {
  if (!pipe_) return false;
  char bytes[kReadBytes];  // left as it is: most reads are short
  size_t filled = 0;
  ssize_t n;
  do {  // a terminal gives 4 KiB at a time, which make too small a message
    while ((n = read(pipe_.get(), bytes + filled, sizeof bytes - filled)) < 0 && errno == EINTR) {
    }
    if (n > 0) filled += static_cast<size_t>(n);
  } while (n >= kLongRead && filled < sizeof bytes);
  const bool ended = n == 0 || (n < 0 && errno != EAGAIN);
  bytes_read_ += filled;
  pass_on(lines_.feed(std::string_view(bytes, filled)), false);
  if (options_.unfinished) watch_rest();
  if (ended) finish();
  return n > 0;
}

void OutputRelay::watch_rest() {
  if (rest_is_timed_ == lines_.has_rest()) return;
  rest_is_timed_ = lines_.has_rest();
  if (!rest_is_timed_) return rest_timer_.cancel();
  rest_timer_.after(kRestPause, [this] {
    rest_is_timed_ = false;
    pass_on(lines_.rest(), false);
  });
}

void OutputRelay::pass_on(std::string lines, bool end) {
  if (lines.empty() && !end) return;
  if (options_.window) options_.window->sent(lines.size());
  on_lines_(std::move(lines), end);
}

void OutputRelay::drain() {
  // More than a pipe or a terminal holds; a process that keeps writing is not waited for.
  constexpr uint64_t kMostBytes = 1 << 20;
  for (const uint64_t before = bytes_read_; bytes_read_ - before < kMostBytes && read_once();) {
  }
}

void OutputRelay::finish() {
  if (!pipe_) return;
  watch_.reset();
  pause_.cancel();
  rest_timer_.cancel();
  pipe_.reset();
  pass_on(lines_.rest(), true);
}

}  // namespace ds
