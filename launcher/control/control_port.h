// The door of a job: agents dial in here, and so do `dslaunch status` and `stop`. Lets in who proves to know the key of
// the job; everybody else is kept out, cheap, and told of. docs/wire_protocol.md, "Strangers", gives the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/pending_connections.h"
#include "agent/stranger_log.h"

namespace boost::asio {
class io_context;
}

namespace ds {

namespace control {
class Envelope;
class Hello;
class Request;
}  // namespace control
class Channel;
class Listener;
class Timer;

struct ControlPortOptions {
  std::string key;
  bool loopback_only = false;
  std::optional<std::pair<int, int>> ports;
  std::optional<int> own_port;  // rather this one, where it is free
  size_t pending_limit = 1024;  // connections that have not proved yet
};

struct ControlPortEvents {
  // An agent introduces itself. Returns the host that its connection speaks for from now on, or nullopt: none.
  std::function<std::optional<int>(const std::shared_ptr<Channel>&, const control::Hello&)> on_hello;
  std::function<void(int host, const control::Envelope&)> on_message;
  std::function<void(int host, const std::string& reason)> on_closed;
  std::function<void(const std::shared_ptr<Channel>&, const control::Request&)> on_request;
  std::function<void(const std::string& line)> on_refused;  // for the log
};

class ControlPort {
 public:
  // Listens at once. Throws as Listener does.
  ControlPort(boost::asio::io_context& io, ControlPortOptions options, ControlPortEvents events);
  ~ControlPort();  // closes what does not speak for a host

  int port() const;
  // A connection over the streams of a process of our own.
  void adopt(int read_fd, int write_fd);
  void tell_rest();  // what the log has only counted so far

 private:
  struct Guest {
    std::shared_ptr<Channel> channel;
    std::string host;  // it comes from; "": our own process
  };

  void accept(int fd);
  void open(uint64_t id, Guest guest);
  std::optional<int> first_words(uint64_t id, const control::Envelope& message);
  void closed(uint64_t id, const std::string& reason);
  void push_out(uint64_t id);
  void refused(const Guest& guest, const std::string& reason);

  boost::asio::io_context& io_;
  ControlPortOptions options_;
  ControlPortEvents events_;
  std::map<uint64_t, Guest> guests_;  // all that do not speak for a host: not proved yet, asking, turned away
  uint64_t next_id_ = 0;
  PendingConnections pending_;
  StrangerLog log_;
  std::unique_ptr<Timer> log_timer_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace ds
