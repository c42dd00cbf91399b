#include "agent/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "agent/file_descriptor.h"

namespace ds {

// The port that a socket could be bound to; 0 = none. `port` 0: any.
static int port_if_free(int port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!fd || ::bind(fd.get(), generic, sizeof address) != 0 || ::getsockname(fd.get(), generic, &size) != 0) return 0;
  return ntohs(address.sin_port);
}

int free_port(const PortRange& range, PortUse use) {
  if (!range.bounded()) return port_if_free(0);
  int last_free = 0;
  for (int port = range.high; port >= range.low; --port) {
    if (!port_if_free(port)) continue;
    if (use == PortUse::kMeeting || last_free) return port;
    last_free = port;
  }
  return last_free;
}

}  // namespace ds
