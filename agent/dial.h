// Connects to the first of several addresses that answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/event_loop.h"
#include "agent/file_descriptor.h"

namespace ds {

// Tries all addresses, each with its own deadline, a new one whenever the last failed or has been silent for a quarter
// second; calls back once with a connected socket, or with none and a list of reasons ("10.0.0.1: connection refused;
// ...").
class Dialer {
 public:
  using OnDone = std::function<void(FileDescriptor socket, std::string reasons)>;

  Dialer(boost::asio::io_context& io, std::vector<std::string> addresses, uint16_t port, std::chrono::milliseconds each,
         OnDone on_done);
  ~Dialer();

 private:
  struct Attempt;
  void next();
  void connected_or_failed(Attempt& attempt);
  void failed(Attempt& attempt, const std::string& reason);
  void finish_if_nothing_left();

  boost::asio::io_context& io_;
  std::vector<std::string> addresses_;
  uint16_t port_;
  std::chrono::milliseconds each_;
  OnDone on_done_;
  size_t next_ = 0;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  Timer stagger_;
  std::string reasons_;
};

}  // namespace ds
