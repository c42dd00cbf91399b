#include "agent/channel.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "agent/authentication.h"
#include "agent/event_loop.h"
#include "agent/file_descriptor.h"
#include "agent/frame.h"
#include "agent/proto/control.pb.h"
#include "topology/base/error.h"

namespace ds {

namespace {

constexpr auto kAuthenticationDeadline = std::chrono::seconds(10);
constexpr size_t kReadBytes = 64 << 10;

bool is_socket(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

std::string peer_name(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "pipe";
  if (address.ss_family == AF_UNIX) return "socketpair";
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown address";
  return std::string(host) + ":" + port;
}

void prepare(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails harmlessly on what is not TCP
}

class StreamChannel final : public Channel {
 public:
  StreamChannel(boost::asio::io_context& io, int read_fd, int write_fd, ChannelRole role, const std::string& key)
      : read_fd_(read_fd),
        write_fd_(write_fd == read_fd ? -1 : write_fd),
        out_fd_(write_fd),
        peer_(peer_name(read_fd)),
        socket_(is_socket(write_fd)),
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
      queue_bytes(authentication_->opening());
      deadline_.after(kAuthenticationDeadline, [self = weak()] {
        if (auto channel = self.lock())
          channel->fail("no proof of the key of the job from " + channel->peer_ + " within 10 s");
      });
    }
    write_some();
    wait_readable();
  }

  void send(const control::Envelope& message) override {
    if (closed_) return;
    std::string payload;
    message.SerializeToString(&payload);
    if (!writer_) {
      before_authentication_.push_back(std::move(payload));
      return;
    }
    queue_bytes(writer_->frame(payload));
    write_some();
  }

  size_t queued_bytes() const override { return static_cast<size_t>(queued_total_ - written_total_); }

  void flush(std::function<void()> then) override {
    if (closed_ || (queued_bytes() == 0 && before_authentication_.empty())) return then();
    flushes_.emplace_back(queued_total_, std::move(then));
  }

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
    out_.clear();
    queued_total_ = written_total_;
    for (auto& waiting : std::exchange(flushes_, {})) waiting.second();
  }

  bool authenticated() const override { return writer_.has_value(); }
  std::string peer() const override { return peer_; }

 private:
  std::weak_ptr<StreamChannel> weak() { return std::static_pointer_cast<StreamChannel>(shared_from_this()); }

  void become_authenticated(std::string sending_key, std::string receiving_key) {
    writer_.emplace(std::move(sending_key));
    reader_.emplace(std::move(receiving_key));
    deadline_.cancel();
    for (auto& payload : std::exchange(before_authentication_, {})) queue_bytes(writer_->frame(payload));
  }

  void queue_bytes(std::string bytes) {
    queued_total_ += bytes.size();
    if (!bytes.empty()) out_.push_back(std::move(bytes));
  }

  DescriptorWatch& writing() { return write_watch_ ? *write_watch_ : *read_watch_; }

  void write_some() {
    while (!closed_ && !out_.empty()) {
      const auto rest = std::string_view(out_.front()).substr(out_start_);
      const ssize_t n = socket_ ? ::send(out_fd_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                : ::write(out_fd_, rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return wait_writable();
      if (n < 0) return fail_soon(std::string("cannot write to ") + peer_ + ": " + std::strerror(errno));
      written_total_ += static_cast<size_t>(n);
      out_start_ += static_cast<size_t>(n);
      if (out_start_ < out_.front().size()) continue;
      out_.pop_front();
      out_start_ = 0;
    }
    while (!flushes_.empty() && flushes_.front().first <= written_total_ && before_authentication_.empty()) {
      auto then = std::move(flushes_.front().second);
      flushes_.pop_front();
      then();
    }
  }

  void wait_writable() {
    if (std::exchange(waiting_writable_, true)) return;
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
    std::string bytes(kReadBytes, '\0');
    while (!closed_ && !paused_) {
      const ssize_t n = ::read(read_fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      if (n < 0) return fail("lost connection with " + peer_ + ": " + std::strerror(errno));
      if (n == 0) return fail("connection closed by " + peer_);
      try {
        take(std::string_view(bytes).substr(0, static_cast<size_t>(n)));
      } catch (const Error& error) {
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
    queue_bytes(authentication_->step(handshake_.substr(0, needed)));
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

  FileDescriptor read_fd_, write_fd_;
  int out_fd_;
  std::string peer_;
  bool socket_;
  Timer deadline_;
  std::optional<DescriptorWatch> read_watch_, write_watch_;
  OnMessage on_message_;
  OnClosed on_closed_;
  std::optional<Authentication> authentication_;
  std::optional<FrameWriter> writer_;
  std::optional<FrameReader> reader_;
  std::string handshake_;
  std::vector<std::string> before_authentication_;
  std::deque<std::string> out_;
  size_t out_start_ = 0;  // what of the first is written
  uint64_t queued_total_ = 0, written_total_ = 0;
  std::deque<std::pair<uint64_t, std::function<void()>>> flushes_;
  bool waiting_readable_ = false, waiting_writable_ = false, paused_ = false, closed_ = false, failing_ = false;
};

}  // namespace

std::shared_ptr<Channel> Channel::create(boost::asio::io_context& io, int read_fd, int write_fd, ChannelRole role,
                                         const std::string& key) {
  return std::make_shared<StreamChannel>(io, read_fd, write_fd, role, key);
}

}  // namespace ds
