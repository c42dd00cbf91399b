#include "tests/perf/loopback_cost.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <vector>

#include "agent/file_descriptor.h"

namespace ds::bench {
namespace {

constexpr int kRounds = 20;

void check(bool fine, const char* what) {
  if (!fine) throw std::system_error(errno, std::generic_category(), what);
}

double thread_cpu_us() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e6 * static_cast<double>(used.tv_sec) + 1e-3 * static_cast<double>(used.tv_nsec);
}

struct Connection {
  FileDescriptor near, far;
};

std::vector<Connection> connect_all(int count) {
  const FileDescriptor listening(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  check(::bind(listening.get(), raw, size) == 0 && ::listen(listening.get(), count) == 0, "listen");
  ::getsockname(listening.get(), raw, &size);
  std::vector<Connection> all;
  for (int i = 0; i < count; ++i) {
    Connection one{FileDescriptor(::socket(AF_INET, SOCK_STREAM, 0)), {}};
    check(::connect(one.near.get(), raw, size) == 0, "connect");
    one.far.reset(::accept(listening.get(), nullptr, nullptr));
    const int on = 1;
    check(::setsockopt(one.near.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 && one.far, "accept");
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

double bare_us_per_message(int connections, size_t bytes) {
  const std::vector<Connection> all = connect_all(connections);
  std::string message(bytes, 'b');
  double used = 0;
  for (int round = -1; round < kRounds; ++round) {  // the first warms up
    const double start = thread_cpu_us();
    for (const Connection& one : all) check(::send(one.near.get(), message.data(), bytes, MSG_NOSIGNAL) > 0, "send");
    for (const Connection& one : all) check(::recv(one.far.get(), message.data(), bytes, 0) > 0, "recv");
    if (round >= 0) used += thread_cpu_us() - start;
  }
  return used / (2.0 * kRounds * connections);
}

void beat_for_ever(std::chrono::milliseconds period, size_t bytes) {
  const Connection connection = std::move(connect_all(1).front());
  std::string message(bytes, 'b');
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (::recv(connection.far.get(), message.data(), bytes, 0) > 0) {
    }
    ::_exit(0);
  }
  const timespec pause{period.count() / 1000, period.count() % 1000 * 1000000};
  while (::send(connection.near.get(), message.data(), bytes, MSG_NOSIGNAL) > 0) ::nanosleep(&pause, nullptr);
  ::_exit(1);
}

}  // namespace ds::bench
