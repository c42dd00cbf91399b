#include "agent/input_feed.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace ds {

InputFeed::InputFeed(boost::asio::io_context& io, FileDescriptor pipe, OnTaken on_taken)
    : pipe_(std::move(pipe)),
      watch_(std::make_unique<DescriptorWatch>(io, pipe_.get())),
      on_taken_(std::move(on_taken)) {
  fcntl(pipe_.get(), F_SETFL, fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
}

void InputFeed::write(std::string_view bytes) {
  if (ending_) return;
  total_ += bytes.size();
  if (!pipe_) return on_taken_(total_);
  queue_ += bytes;
  if (!waiting_) write_some();
}

void InputFeed::end() {
  ending_ = true;
  if (!waiting_) write_some();
}

void InputFeed::write_some() {
  while (pipe_ && !queue_.empty()) {
    const ssize_t n = ::write(pipe_.get(), queue_.data(), queue_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      waiting_ = true;
      watch_->when_writable([this] {
        waiting_ = false;
        write_some();
      });
      return;
    }
    if (n < 0) return close();  // the rank closed its stdin: what is left has no reader
    queue_.erase(0, static_cast<size_t>(n));
  }
  if (ending_) return close();
  on_taken_(total_);
}

void InputFeed::close() {
  watch_.reset();
  pipe_.reset();
  queue_.clear();
  on_taken_(total_);
}

}  // namespace ds
