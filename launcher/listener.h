// The port of a job: agents dial in here, and so do `dslaunch status` and `stop`.
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

class Listener {
 public:
  // Listens on all addresses (IPv6 and IPv4), or only on the loopback ones; on a free port, or the first free one of
  // `ports`. Throws kUnavailable naming the range when none is free. `on_connection` owns the descriptor it gets.
  Listener(boost::asio::io_context& io, bool loopback_only, std::optional<std::pair<int, int>> ports,
           std::function<void(int fd)> on_connection);
  ~Listener();

  int port() const { return port_; }

 private:
  void watch();
  void accept_all();

  std::function<void(int)> on_connection_;
  FileDescriptor socket_;
  std::unique_ptr<DescriptorWatch> watch_;
  int port_ = 0;
};

}  // namespace ds
