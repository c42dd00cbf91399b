#include "agent/output_relay.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "agent/channel.h"

namespace ds {

static constexpr size_t kFullChannelBytes = 4u << 20;
static constexpr size_t kReadBytes = 64u << 10;
static constexpr int kReadsPerTurn = 8;
static constexpr auto kRetryPause = std::chrono::milliseconds(5);

OutputRelay::OutputRelay(boost::asio::io_context& io, FileDescriptor pipe, std::shared_ptr<Channel> channel,
                         OnLines on_lines)
    : pipe_(std::move(pipe)),
      watch_(std::make_unique<DescriptorWatch>(io, pipe_.get())),
      pause_(io),
      channel_(std::move(channel)),
      on_lines_(std::move(on_lines)) {
  fcntl(pipe_.get(), F_SETFL, fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  wait();
}

void OutputRelay::wait() {
  if (!pipe_) return;
  if (channel_->queued_bytes() > kFullChannelBytes) {
    pause_.after(kRetryPause, [this] { wait(); });
    return;
  }
  watch_->when_readable([this] {
    for (int i = 0; i < kReadsPerTurn && read_once(); ++i) {
    }
    wait();
  });
}

bool OutputRelay::read_once() {
  if (!pipe_) return false;
  std::string bytes(kReadBytes, '\0');
  ssize_t n;
  while ((n = read(pipe_.get(), bytes.data(), bytes.size())) < 0 && errno == EINTR) {
  }
  if (n > 0) {
    bytes.resize(static_cast<size_t>(n));
    auto lines = lines_.feed(bytes);
    if (!lines.empty()) on_lines_(std::move(lines), false);
    return true;
  }
  if (n == 0 || errno != EAGAIN) finish();
  return false;
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
  on_lines_(lines_.rest(), true);
}

}  // namespace ds
