#include "agent/dial.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ds {

static constexpr auto kStagger = std::chrono::milliseconds(250);

struct Dialer::Attempt {
  Attempt(boost::asio::io_context& io, std::string address) : address(std::move(address)), deadline(io) {}
  std::string address;
  FileDescriptor socket;
  std::unique_ptr<DescriptorWatch> watch;
  Timer deadline;
  bool over = false;
};

static FileDescriptor start_connecting(const std::string& address, uint16_t port, std::string& problem) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    problem = gai_strerror(error);
    return {};
  }
  FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || (connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)) {
    problem = std::strerror(errno);
    socket.reset();
  }
  freeaddrinfo(found);
  return socket;
}

Dialer::Dialer(boost::asio::io_context& io, std::vector<std::string> addresses, uint16_t port,
               std::chrono::milliseconds each, OnDone on_done)
    : io_(io), addresses_(std::move(addresses)), port_(port), each_(each), on_done_(std::move(on_done)), stagger_(io) {
  stagger_.after(std::chrono::seconds(0), [this] { next(); });
}

Dialer::~Dialer() = default;

void Dialer::next() {
  if (next_ >= addresses_.size()) return finish_if_nothing_left();
  auto& attempt = *attempts_.emplace_back(std::make_unique<Attempt>(io_, addresses_[next_++]));
  stagger_.after(kStagger, [this] { next(); });
  std::string problem;
  attempt.socket = start_connecting(attempt.address, port_, problem);
  if (!attempt.socket) return failed(attempt, problem);
  attempt.watch = std::make_unique<DescriptorWatch>(io_, attempt.socket.get());
  attempt.watch->when_writable([this, &attempt] { connected_or_failed(attempt); });
  attempt.deadline.after(
      each_, [this, &attempt] { failed(attempt, "no answer within " + std::to_string(each_.count()) + " ms"); });
}

void Dialer::connected_or_failed(Attempt& attempt) {
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error) return failed(attempt, std::strerror(error));
  attempt.watch.reset();
  FileDescriptor socket = std::move(attempt.socket);
  stagger_.cancel();
  for (auto& other : attempts_) {
    other->watch.reset();
    other->deadline.cancel();
    other->socket.reset();
  }
  std::exchange(on_done_, nullptr)(std::move(socket), "");
}

void Dialer::failed(Attempt& attempt, const std::string& reason) {
  attempt.over = true;
  attempt.deadline.cancel();
  attempt.watch.reset();
  attempt.socket.reset();
  reasons_ += (reasons_.empty() ? "" : "; ") + attempt.address + ": " + reason;
  stagger_.after(std::chrono::seconds(0), [this] { next(); });
}

void Dialer::finish_if_nothing_left() {
  const bool waiting = std::any_of(attempts_.begin(), attempts_.end(), [](const auto& a) { return !a->over; });
  if (!waiting && on_done_) std::exchange(on_done_, nullptr)({}, reasons_);
}

}  // namespace ds
