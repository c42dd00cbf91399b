// Asks a rank server again and again whether it takes messages in; one that is stopped or stuck does not end, and
// nobody would notice how its ranks do. Counts questions, not time: an agent that was stopped itself must not blame it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>

#include "agent/event_loop.h"

namespace ds {

class ServerWatch {
 public:
  static constexpr std::chrono::milliseconds kPeriod{5000};
  static constexpr int kMostUnanswered = 3;

  // `ask` sends a question, and returns false when the answer could not be read now; `on_silence` is called once.
  ServerWatch(boost::asio::io_context& io, std::function<bool()> ask, std::function<void()> on_silence);

  void start();
  void stop();
  void answered() { unanswered_ = 0; }

 private:
  void ask_later();

  std::function<bool()> ask_;
  std::function<void()> on_silence_;
  Timer timer_;
  int unanswered_ = 0;
};

}  // namespace ds
