// The listening socket of a job.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "agent/file_descriptor.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class DescriptorWatch;
class Timer;

class Listener {
 public:
  // Listens on all addresses (IPv6 and IPv4), or only on the loopback ones; on a free port, or the first free one of
  // `ports`. Throws kUnavailable naming the range when none is free. `on_connection` owns the descriptor it gets.
  // Takes few connections at a time, so that a flood of them holds nobody up who is in already; without descriptors for
  // more it waits for some to be closed.
  Listener(boost::asio::io_context& io, bool loopback_only, std::optional<std::pair<int, int>> ports,
           std::function<void(int fd)> on_connection);
  ~Listener();

  int port() const { return port_; }

 private:
  void watch();
  void accept_some();

  std::function<void(int)> on_connection_;
  FileDescriptor socket_;
  std::unique_ptr<DescriptorWatch> watch_;
  std::unique_ptr<Timer> pause_;
  int port_ = 0;
};

}  // namespace ds
