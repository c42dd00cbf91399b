#include "agent/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "agent/event_loop.h"
#include "topology/base/error.h"

namespace ds {
namespace {

constexpr int kAtATime = 16;
constexpr int kBacklog = 4096;  // the kernel's own limit may be lower
constexpr std::chrono::milliseconds kPause{100};

bool bind_to(int fd, bool ipv6, bool loopback_only, int port) {
  if (ipv6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_any;
    address.sin6_port = htons(static_cast<uint16_t>(port));
    return ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

int bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// One socket for both families where the kernel has IPv6; loopback alone is IPv4, which every machine has.
FileDescriptor open_socket(bool ipv6) {
  FileDescriptor fd(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int off = 0, on = 1;
  if (fd)
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // connections of a dead launcher may linger
  if (fd && ipv6 && ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) fd.reset();
  return fd;
}

FileDescriptor listen_on(bool ipv6, bool loopback_only, int low, int high) {
  for (int port = low; port <= high; ++port) {
    FileDescriptor fd = open_socket(ipv6);
    if (fd && bind_to(fd.get(), ipv6, loopback_only, port) && ::listen(fd.get(), kBacklog) == 0) return fd;
  }
  return FileDescriptor();
}

}  // namespace

Listener::Listener(boost::asio::io_context& io, bool loopback_only, std::optional<std::pair<int, int>> ports,
                   std::function<void(int fd)> on_connection)
    : on_connection_(std::move(on_connection)) {
  int low = ports ? ports->first : 0, high = ports ? ports->second : 0;
  if (!loopback_only) socket_ = listen_on(true, false, low, high);
  if (!socket_) socket_ = listen_on(false, loopback_only, low, high);
  if (!socket_)
    throw Error(ErrorCode::kUnavailable,
                "launcher: cannot listen: " +
                    (ports ? "no free port in --ports=" + std::to_string(low) + "-" + std::to_string(high) + ": all " +
                                 std::to_string(high - low + 1) + " are in use"
                           : std::string(std::strerror(errno))));
  port_ = bound_port(socket_.get());
  watch_ = std::make_unique<DescriptorWatch>(io, socket_.get());
  pause_ = std::make_unique<Timer>(io);
  watch();
}

Listener::~Listener() = default;

void Listener::watch() {
  watch_->when_readable([this] {
    accept_some();
  });
}

void Listener::accept_some() {
  for (int i = 0; i < kAtATime; ++i) {
    int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) on_connection_(fd);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return pause_->after(kPause, [this] { watch(); });
    else if (errno == EAGAIN) break;  // other errors: of that one connection
  }
  watch();
}

}  // namespace ds
