#include "agent/channel.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "agent/authentication.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/frame.h"
#include "agent/peer_address.h"
#include "agent/proto/control.pb.h"
#include "agent/send_queue.h"
#include "topology/base/error.h"

namespace ds {

namespace {

constexpr auto kAuthenticationDeadline = std::chrono::seconds(10);
constexpr size_t kReadBytes = 64 << 10;

void prepare(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails harmlessly on what is not TCP
}

class StreamChannel final : public Channel {
 public:
  StreamChannel(boost::asio::io_context& io, int read_fd, int write_fd, ChannelRole role, const std::string& key)
      : io_(io),
        read_fd_(read_fd),
        write_fd_(write_fd == read_fd ? -1 : write_fd),
        peer_host_(peer_address(read_fd).host),
        own_host_(own_address(read_fd).host),
        peer_(peer_address(read_fd).text),
        queue_(write_fd),
        deadline_(io) {
    prepare(read_fd);
    prepare(write_fd);
    read_watch_.emplace(io, read_fd);
    if (write_fd_) write_watch_.emplace(io, write_fd);
    if (key.empty())
      become_authenticated("", "");
    else
      authentication_.emplace(role, key, random_bytes(kNonceBytes));
  }

  void start(OnMessage on_message, OnClosed on_closed) override {
    on_message_ = std::move(on_message);
    on_closed_ = std::move(on_closed);
    if (authentication_) {
      queue_.push(authentication_->opening());
      deadline_.after(kAuthenticationDeadline, [self = weak()] {
        if (auto channel = self.lock())
          channel->fail("no proof of the key of the job from " + channel->peer_ + " within 10 s");
      });
    }
    write_some();
    wait_readable();
  }

  void send_serialized(std::string envelope) override {
    if (closed_) return;
    if (!writer_) return before_authentication_.push_back(std::move(envelope));
    queue_.push(writer_->frame(envelope));
    write_some();
  }

  void send_serialized_soon(std::string envelope) override {
    if (closed_) return;
    if (!writer_) return before_authentication_.push_back(std::move(envelope));
    queue_.push(writer_->frame(envelope));
    if (std::exchange(writing_soon_, true)) return;
    post(io_, [self = weak()] {
      if (auto channel = self.lock()) {
        channel->writing_soon_ = false;
        channel->write_some();
      }
    });
  }

  size_t queued_bytes() const override { return queue_.queued_bytes(); }

  void flush(std::function<void()> then) override {
    if (closed_ || (queued_bytes() == 0 && before_authentication_.empty())) return then();
    if (before_authentication_.empty()) return queue_.when_written(std::move(then));
    flushed_later_.push_back(std::move(then));
  }

  bool reads() const override { return !paused_; }
  void pause_reading(bool pause) override {
    if (paused_ == pause || closed_) return;
    paused_ = pause;
    if (!pause) wait_readable();
  }

  void close() override {
    if (std::exchange(closed_, true)) return;
    deadline_.cancel();
    read_watch_.reset();
    write_watch_.reset();
    read_fd_.reset();
    write_fd_.reset();
    queue_.clear();
    for (auto& then : std::exchange(flushed_later_, {})) then();
  }

  bool authenticated() const override { return writer_.has_value(); }
  bool broke_protocol() const override { return broke_protocol_; }
  std::string peer() const override { return peer_; }
  std::string peer_host() const override { return peer_host_; }
  std::string own_host() const override { return own_host_; }

 private:
  std::weak_ptr<StreamChannel> weak() { return std::static_pointer_cast<StreamChannel>(shared_from_this()); }

  void become_authenticated(std::string_view sending_key, std::string_view receiving_key) {
    writer_.emplace(sending_key);
    reader_.emplace(receiving_key);
    deadline_.cancel();
    for (auto& payload : std::exchange(before_authentication_, {})) queue_.push(writer_->frame(payload));
    for (auto& then : std::exchange(flushed_later_, {})) queue_.when_written(std::move(then));
  }

  DescriptorWatch& writing() { return write_watch_ ? *write_watch_ : *read_watch_; }

  void write_some() {
    if (closed_) return;
    switch (queue_.write_some()) {
      case SendQueue::Progress::kAllWritten:
        return;
      case SendQueue::Progress::kBlocked:
        return wait_writable();
      case SendQueue::Progress::kFailed:
        return fail_soon("cannot write to " + peer_ + ": " + std::strerror(errno));
    }
  }

  void wait_writable() {
    if (closed_ || std::exchange(waiting_writable_, true)) return;
    writing().when_writable([self = weak()] {
      if (auto channel = self.lock()) {
        channel->waiting_writable_ = false;
        channel->write_some();
      }
    });
  }

  void wait_readable() {
    if (closed_ || paused_ || std::exchange(waiting_readable_, true)) return;
    read_watch_->when_readable([self = weak()] {
      if (auto channel = self.lock()) {
        channel->waiting_readable_ = false;
        channel->read_some();
        channel->wait_readable();
      }
    });
  }

  void read_some() {
    std::array<char, kReadBytes> bytes;  // left as it is: most reads are short
    while (!closed_ && !paused_) {
      const ssize_t n = ::read(read_fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n < 0) return fail("lost connection with " + peer_ + ": " + std::strerror(errno));
      if (n == 0) return fail("connection closed by " + peer_);
      try {
        take(std::string_view(bytes.data(), static_cast<size_t>(n)));
      } catch (const Error& error) {
        broke_protocol_ = true;
        return fail(std::string(error.what()) + " (from " + peer_ + ")");
      }
      if (static_cast<size_t>(n) < bytes.size()) return;
    }
  }

  void take(std::string_view bytes) {
    if (authentication_) {
      handshake_ += bytes;
      while (authentication_ && handshake_.size() >= authentication_->bytes_needed()) advance_handshake();
      if (authentication_) return;
      reader_->feed(std::exchange(handshake_, {}));
    } else {
      reader_->feed(bytes);
    }
    deliver();
  }

  void advance_handshake() {
    const size_t needed = authentication_->bytes_needed();
    queue_.push(authentication_->step(handshake_.substr(0, needed)));
    handshake_.erase(0, needed);
    if (authentication_->done()) {
      become_authenticated(authentication_->sending_key(), authentication_->receiving_key());
      authentication_.reset();
    }
    write_some();
  }

  // Frames that were read before a pause are still delivered: they are in memory already.
  void deliver() {
    while (!closed_) {
      const auto payload = reader_->next();
      if (!payload) return;
      control::Envelope message;
      if (!message.ParseFromString(*payload)) throw Error(ErrorCode::kCorrupt, "frame: the payload is not a message");
      on_message_(message);
    }
  }

  void fail(const std::string& reason) {
    if (closed_) return;
    close();
    if (on_closed_) on_closed_(reason);
  }

  // Callers of send() do not expect their channel to end inside of it.
  void fail_soon(const std::string& reason) {
    if (std::exchange(failing_, true)) return;
    deadline_.after(std::chrono::seconds(0), [self = weak(), reason] {
      if (auto channel = self.lock()) channel->fail(reason);
    });
  }

  boost::asio::io_context& io_;
  FileDescriptor read_fd_, write_fd_;
  std::string peer_host_, own_host_, peer_;
  SendQueue queue_;
  Timer deadline_;
  std::optional<DescriptorWatch> read_watch_, write_watch_;
  OnMessage on_message_;
  OnClosed on_closed_;
  std::optional<Authentication> authentication_;
  std::optional<FrameWriter> writer_;
  std::optional<FrameReader> reader_;
  std::string handshake_;
  std::vector<std::string> before_authentication_;
  std::vector<std::function<void()>> flushed_later_;
  bool waiting_readable_ = false, waiting_writable_ = false, writing_soon_ = false, paused_ = false, closed_ = false,
       failing_ = false, broke_protocol_ = false;
};

}  // namespace

void Channel::send(const control::Envelope& message) { send_serialized(message.SerializeAsString()); }
void Channel::send_soon(const control::Envelope& message) { send_serialized_soon(message.SerializeAsString()); }

std::shared_ptr<Channel> Channel::create(boost::asio::io_context& io, int read_fd, int write_fd, ChannelRole role,
                                         const std::string& key) {
  return std::make_shared<StreamChannel>(io, read_fd, write_fd, role, key);
}

}  // namespace ds
