#include "agent/server_watch.h"

#include <utility>

namespace ds {

ServerWatch::ServerWatch(boost::asio::io_context& io, std::function<bool()> ask, std::function<void()> on_silence)
    : ask_(std::move(ask)), on_silence_(std::move(on_silence)), timer_(io) {}

void ServerWatch::start() {
  unanswered_ = 0;
  ask_later();
}

void ServerWatch::stop() { timer_.cancel(); }

void ServerWatch::ask_later() {
  timer_.at_next(kPeriod, [this] {
    if (unanswered_ >= kMostUnanswered) return on_silence_();
    unanswered_ = ask_() ? unanswered_ + 1 : 0;
    ask_later();
  });
}

}  // namespace ds
