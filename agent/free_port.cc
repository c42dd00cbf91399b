#include "agent/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "agent/file_descriptor.h"

namespace ds {

int free_port() {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!fd || ::bind(fd.get(), generic, sizeof address) != 0 || ::getsockname(fd.get(), generic, &size) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace ds
