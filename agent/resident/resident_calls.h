// The calls that a resident agent has taken: each is one agent of a job, a process between a channel and its caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "agent/event_loop.h"

namespace ds {

namespace control {
class Envelope;
}
class Channel;
class HelperProcess;

class ResidentCalls {
 public:
  ResidentCalls(boost::asio::io_context& io, std::string key, std::string program, std::function<void()> on_fewer);
  ~ResidentCalls();

  // What came over the channel of a caller who has proved to know the key.
  void take(const std::shared_ptr<Channel>& channel, const control::Envelope& message);
  // The caller is gone: the agent of its job loses its life line.
  void caller_gone(const std::shared_ptr<Channel>& channel);
  size_t size() const { return calls_.size(); }

 private:
  struct Call {
    std::unique_ptr<HelperProcess> process;
    std::unique_ptr<Timer> end_limit;
    bool answered = false;
  };

  void enter(const std::shared_ptr<Channel>& channel, const control::Envelope& message);
  void ended(const std::shared_ptr<Channel>& channel);

  boost::asio::io_context& io_;
  std::string key_, program_;
  std::function<void()> on_fewer_;
  std::map<std::shared_ptr<Channel>, Call> calls_;
};

}  // namespace ds
