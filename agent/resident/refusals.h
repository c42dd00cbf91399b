// Connections that a resident agent refused: a line in the system's log (facility auth, as sshd), and what its owner is
// told who asks for its state.
#pragma once

#include <memory>
#include <string>

#include "agent/stranger_log.h"

namespace boost::asio {
class io_context;
}

namespace ds {

class Timer;

class Refusals {
 public:
  explicit Refusals(boost::asio::io_context& io);
  ~Refusals();

  // `host`: its address without the port, for counting; `peer`: with it.
  void add(const std::string& host, const std::string& peer, const std::string& reason);

  // "12 connections refused, the last from 10.0.0.9:40112: why"; "" = none.
  std::string text() const;

 private:
  void tell_rest();

  StrangerLog log_;
  std::unique_ptr<Timer> timer_;
  size_t count_ = 0;
  std::string last_;
};

}  // namespace ds
