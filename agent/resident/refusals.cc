#include "agent/resident/refusals.h"

#include <syslog.h>

#include "agent/event_loop.h"

namespace ds {

static void log_line(const std::string& line) {
  if (!line.empty()) ::syslog(LOG_AUTH | LOG_NOTICE, "dslaunch agent: %s", line.c_str());
}

Refusals::Refusals(boost::asio::io_context& io) : timer_(std::make_unique<Timer>(io)) {}

Refusals::~Refusals() = default;

void Refusals::add(const std::string& host, const std::string& peer, const std::string& reason) {
  ++count_;
  last_ = peer + ": " + reason;
  const bool first = !log_.period_end();
  const auto now = StrangerLog::Clock::now();
  log_line(log_.refused(host, peer, reason, now));
  if (first) timer_->after(*log_.period_end() - now, [this] { tell_rest(); });
}

std::string Refusals::text() const {
  if (count_ == 0) return "";
  return std::to_string(count_) + (count_ == 1 ? " connection" : " connections") + " refused, the last from " + last_;
}

void Refusals::tell_rest() {
  const auto now = StrangerLog::Clock::now();
  log_line(log_.end_period(now));
  if (const auto end = log_.period_end()) timer_->after(*end - now, [this] { tell_rest(); });
}

}  // namespace ds
