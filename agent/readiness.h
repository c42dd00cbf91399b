// Readiness of descriptors, told by an epoll set of our own inside the one of Asio. Asio asks the kernel anew for each
// wait; here a descriptor stays in the set, so waiting again for the next frame costs no system call.
// Part of event_loop.cc: others use DescriptorWatch.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "agent/file_descriptor.h"

namespace ds {

class Readiness : public boost::asio::execution_context::service {
 public:
  using key_type = Readiness;
  using Action = std::function<void()>;
  enum Direction { kRead, kWrite };

  explicit Readiness(boost::asio::execution_context& context);
  static boost::asio::execution_context::id id;

  uint64_t add(int fd);  // a name for the watch of this descriptor, which is borrowed
  void remove(uint64_t watch);
  // Calls back once when it can be read (written), or has ended; replaces what was waiting.
  void when(uint64_t watch, Direction direction, Action action);
  void cancel(uint64_t watch);

 private:
  struct Watch {
    int fd = -1;
    Action actions[2];
    uint32_t asked = 0;      // events that the set has been asked for
    bool in_set = false;
    bool pollable = true;    // regular files are not: they are always ready
  };

  void shutdown() override;
  void ask(uint64_t id, Watch& watch, uint32_t events);
  void ask_less(uint64_t id, Watch& watch);
  void drop(Action& action);
  void call_soon(uint64_t id, Direction direction);
  void call(uint64_t id, Direction direction);
  void wait();
  void let_run_return();
  void take_events();
  void take_event(uint64_t id, uint32_t events);

  boost::asio::io_context& io_;
  FileDescriptor set_;
  boost::asio::posix::stream_descriptor set_watch_;
  std::unordered_map<uint64_t, Watch> watches_;
  uint64_t next_ = 1;
  int waiting_ = 0;             // actions
  bool set_waited_for_ = false;
  uint64_t round_ = 0;          // of waiting for the set, so that a cancelled one is known
  bool taking_ = false;
};

}  // namespace ds
