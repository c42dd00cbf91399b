#include "agent/peer_address.h"

#include <netdb.h>
#include <sys/socket.h>

namespace ds {

static PeerAddress address_of(int fd, int (*name_of)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (name_of(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {"", "pipe"};
  if (address.ss_family == AF_UNIX) return {"", "socketpair"};
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {"", "unknown address"};
  std::string name = host;
  if (name.starts_with("::ffff:") && name.find('.') != std::string::npos) name.erase(0, 7);  // IPv4 on an IPv6 socket
  const bool ipv6 = name.find(':') != std::string::npos;
  return {name, (ipv6 ? "[" + name + "]" : name) + ":" + port};
}

PeerAddress peer_address(int fd) { return address_of(fd, getpeername); }

PeerAddress own_address(int fd) { return address_of(fd, getsockname); }

}  // namespace ds
