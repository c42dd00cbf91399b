#include "agent/output_relay.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "agent/channel.h"
#include "agent/output_window.h"

namespace ds {

static constexpr size_t kFullChannelBytes = 4u << 20;
static constexpr size_t kReadBytes = 64u << 10;
static constexpr int kReadsPerTurn = 8;
static constexpr auto kRetryPause = std::chrono::milliseconds(5);

OutputRelay::OutputRelay(boost::asio::io_context& io, FileDescriptor pipe, std::shared_ptr<Channel> channel,
                         OutputWindow* window, OnLines on_lines)
    : pipe_(std::move(pipe)),
      watch_(std::make_unique<DescriptorWatch>(io, pipe_.get())),
      pause_(io),
      channel_(std::move(channel)),
      window_(window),
      on_lines_(std::move(on_lines)) {
  fcntl(pipe_.get(), F_SETFL, fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  wait();
}

bool OutputRelay::may_read() const {
  return channel_->queued_bytes() <= kFullChannelBytes && (!window_ || window_->has_room());
}

void OutputRelay::wait() {
  if (!pipe_) return;
  if (window_ && !window_->has_room())
    return window_->when_room([this, alive = std::weak_ptr<bool>(alive_)] {
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
  ssize_t n;
  while ((n = read(pipe_.get(), bytes, sizeof bytes)) < 0 && errno == EINTR) {
  }
  if (n > 0) {
    pass_on(lines_.feed(std::string_view(bytes, static_cast<size_t>(n))), false);
    return true;
  }
  if (n == 0 || errno != EAGAIN) finish();
  return false;
}

void OutputRelay::pass_on(std::string lines, bool end) {
  if (lines.empty() && !end) return;
  if (window_) window_->sent(lines.size());
  on_lines_(std::move(lines), end);
}

void OutputRelay::drain() {
  // Bounded by what fits into a pipe; a process that keeps writing is not waited for.
  constexpr int kMostReads = (1 << 20) / static_cast<int>(kReadBytes) + 1;
  for (int i = 0; i < kMostReads && read_once(); ++i) {
  }
}

void OutputRelay::finish() {
  if (!pipe_) return;
  watch_.reset();
  pause_.cancel();
  pipe_.reset();
  pass_on(lines_.rest(), true);
}

}  // namespace ds
