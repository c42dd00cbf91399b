#include "agent/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

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

PortRange ports_of_choice(const std::string& local_range) {
  constexpr int kFirst = 10000, kLast = 65535;  // below: services
  std::istringstream words(local_range);
  int low = 0, high = 0;
  if (!(words >> low >> high) || low > high) return {};
  const PortRange below{kFirst, low - 1}, above{high + 1, kLast};
  const PortRange larger = below.high - below.low > above.high - above.low ? below : above;
  return larger.low <= larger.high ? larger : PortRange{};
}

// At random: jobs that start together look at the same time.
static int port_of_choice() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  const PortRange range = ports_of_choice({std::istreambuf_iterator<char>(file), {}});
  std::random_device random;
  for (int attempt = 0; range.bounded() && attempt < 20; ++attempt)
    if (const int port = port_if_free(std::uniform_int_distribution(range.low, range.high)(random))) return port;
  return port_if_free(0);
}

int free_port(const PortRange& range, PortUse use) {
  if (!range.bounded()) return use == PortUse::kMeeting ? port_of_choice() : port_if_free(0);
  const std::vector<int> ports = free_ports(range, use, 1);
  return ports.empty() ? 0 : ports[0];
}

std::vector<int> free_ports(const PortRange& range, PortUse use, size_t most) {
  std::vector<int> ports;
  if (!range.bounded()) return ports;
  int last_free = 0;
  for (int port = range.high; port >= range.low && ports.size() < most; --port) {
    if (!port_if_free(port)) continue;
    if (use == PortUse::kMeeting || last_free) ports.push_back(port);
    else last_free = port;
  }
  if (ports.empty() && last_free && most > 0) ports.push_back(last_free);
  return ports;
}

}  // namespace ds
