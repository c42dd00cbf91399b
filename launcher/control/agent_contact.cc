#include "launcher/control/agent_contact.h"

namespace ds {

static std::string seconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

AgentContact::AgentContact(const FleetOptions& options, Time now)
    : silence_limit_(options.silence_limit),
      lease_length_(options.agent_lease),
      queue_limit_(options.queue_limit),
      heard_(now),
      lease_(now, options.agent_lease) {}

void AgentContact::excuse(std::chrono::nanoseconds standstill, Time now) {
  heard_ += standstill;
  lease_ = Lease(now, lease_length_);
}

std::string AgentContact::fault(Time now, size_t queued_bytes) const {
  if (now - heard_ >= silence_limit_) return "no sign of life for " + seconds_text(now - heard_);
  if (queued_bytes <= queue_limit_ && !lease_.expired(now)) return "";
  return "its agent sends, but takes nothing in: no answer was seen for " + seconds_text(lease_.silence(now)) + ", " +
         std::to_string(queued_bytes) + " bytes wait for it";
}

}  // namespace ds
