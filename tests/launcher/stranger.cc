#include "tests/launcher/stranger.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ds::testing {
namespace {

constexpr int kConnectMilliseconds = 20000, kLookMilliseconds = 20;

sockaddr_in loopback(const std::string& host, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

bool wait_for(int fd, short events, int milliseconds) {
  pollfd one{fd, events, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

}  // namespace

FileDescriptor connect_from(const std::string& source, int port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fd;
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  const sockaddr_in from = loopback(source, 0), to = loopback("127.0.0.1", port);
  int error = 0;
  socklen_t size = sizeof error;
  const bool started = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0 &&
                       (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS);
  if (!started || !wait_for(fd.get(), POLLOUT, kConnectMilliseconds) ||
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error)
    fd.reset();
  return fd;
}

void say(int fd, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size() && wait_for(fd, POLLOUT, kConnectMilliseconds)) {
    const ssize_t n = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return;
    if (n > 0) done += static_cast<size_t>(n);
  }
}

Hearing hear_until_closed(int fd, std::chrono::seconds deadline) {
  Hearing hearing;
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!hearing.closed && std::chrono::steady_clock::now() < end) {
    if (!wait_for(fd, POLLIN, kLookMilliseconds)) continue;
    char bytes[4096];
    const ssize_t n = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) hearing.bytes.append(bytes, static_cast<size_t>(n));
    hearing.closed = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  }
  return hearing;
}

bool is_closed(int fd) {
  char bytes[4096];
  ssize_t n = 0;
  while ((n = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) continue;
  return n == 0 || (errno != EAGAIN && errno != EINTR);
}

size_t number_closed(const std::vector<FileDescriptor>& connections) {
  return static_cast<size_t>(
      std::count_if(connections.begin(), connections.end(), [](const FileDescriptor& fd) { return is_closed(fd.get()); }));
}

Eavesdropper::Eavesdropper(int port, int hang_ups) : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback("127.0.0.1", 0);
  socklen_t size = sizeof address;
  ::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listening_.get(), 1);
  ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this, port, hang_ups](const std::stop_token& stop) { pass_on(stop, port, hang_ups); });
}

Eavesdropper::~Eavesdropper() = default;

std::string Eavesdropper::heard_from_client() const {
  const std::lock_guard lock(mutex_);
  return from_client_;
}

void Eavesdropper::repeat_last(size_t bytes) {
  const std::lock_guard lock(mutex_);
  say(server_.get(), from_client_.substr(from_client_.size() - std::min(bytes, from_client_.size())));
}

bool Eavesdropper::ended_by_server() const {
  const std::lock_guard lock(mutex_);
  return ended_by_server_;
}

FileDescriptor Eavesdropper::next_client(const std::stop_token& stop) const {
  while (!stop.stop_requested())
    if (wait_for(listening_.get(), POLLIN, kLookMilliseconds))
      return FileDescriptor(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return {};
}

void Eavesdropper::pass_on(const std::stop_token& stop, int to_port, int hang_ups) {
  while (hang_ups-- > 0) next_client(stop);
  const FileDescriptor client = next_client(stop);
  if (!client) return;
  {
    const std::lock_guard lock(mutex_);
    server_ = connect_from("127.0.0.1", to_port);
  }
  char bytes[65536];
  while (!stop.stop_requested()) {
    pollfd both[] = {{client.get(), POLLIN, 0}, {server_.get(), POLLIN, 0}};
    ::poll(both, 2, kLookMilliseconds);
    const std::lock_guard lock(mutex_);
    if (both[0].revents) {
      const ssize_t n = ::recv(client.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (n == 0) return;
      if (n > 0) from_client_.append(bytes, static_cast<size_t>(n));
      if (n > 0) say(server_.get(), std::string(bytes, static_cast<size_t>(n)));
    }
    if (!both[1].revents) continue;
    const ssize_t n = ::recv(server_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) say(client.get(), std::string(bytes, static_cast<size_t>(n)));
    ended_by_server_ = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    if (ended_by_server_) return;
  }
}

}  // namespace ds::testing
