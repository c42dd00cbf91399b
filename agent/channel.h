// A bidirectional stream of authenticated frames between two processes of one job, over any stream descriptor pair:
// a TCP socket, a socketpair (agent - rank server) or stdin/stdout of ssh. docs/wire_protocol.md gives the bytes.
//
// Single-threaded: all calls and callbacks on the thread that runs the io_context.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class Envelope;
}

inline constexpr uint32_t kProtocolVersion = 4;
inline constexpr uint32_t kMaxFrameBytes = 64u << 20;

enum class ChannelRole { kLauncher, kAgent };  // who challenges and who answers; directions have different MAC keys

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  using OnMessage = std::function<void(const control::Envelope&)>;
  using OnClosed = std::function<void(const std::string& reason)>;  // once; also for protocol and MAC errors

  virtual ~Channel() = default;

  // Takes ownership of the descriptors (may be the same number twice for a socket). With a key, both sides prove that
  // they know it (nonces + HMAC-SHA256) before the first frame, and every frame carries a MAC over direction and
  // sequence number; an empty key (socketpair to an own child) leaves both out.
  static std::shared_ptr<Channel> create(boost::asio::io_context& io, int read_fd, int write_fd, ChannelRole role,
                                         const std::string& key);

  virtual void start(OnMessage on_message, OnClosed on_closed) = 0;
  void send(const control::Envelope& message);  // queues; never blocks
  void send_soon(const control::Envelope& message);  // written together with what follows in this turn of the loop
  virtual void send_serialized(std::string envelope) = 0;
  virtual void send_serialized_soon(std::string envelope) = 0;
  virtual size_t queued_bytes() const = 0;
  // Calls `then` once everything queued so far has been handed to the kernel (or the channel is closed).
  virtual void flush(std::function<void()> then) = 0;
  // Back-pressure: while paused nothing is read (an end of the connection is not noticed either).
  virtual void pause_reading(bool /*pause*/) {}
  virtual bool reads() const { return true; }
  virtual void close() = 0;  // no callback for the own close
  virtual bool authenticated() const = 0;
  // It ended because of what the other side sent: a wrong proof, a wrong MAC, no frame, no message.
  virtual bool broke_protocol() const = 0;
  virtual std::string peer() const = 0;  // address, for messages
  // Numeric addresses of both ends, of the way that the frames take; "" where there is no network between them.
  virtual std::string peer_host() const = 0;
  virtual std::string own_host() const = 0;
};

// Identity of this build: agents and launcher must have the same.
std::string build_id();

}  // namespace ds
