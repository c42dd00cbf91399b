// What the launcher knows about its contact with one agent, and when that is too little. Pure.
#pragma once

#include <chrono>
#include <string>

#include "agent/lease.h"
#include "launcher/options/fleet_options.h"

namespace ds {

class AgentContact {
 public:
  using Time = Lease::Time;

  AgentContact(const FleetOptions& options, Time now);  // it has just joined

  void heard(Time now) { heard_ = now; }
  // The agent has seen an answer of ours that we sent then; a time in the future is taken as now.
  void answer_seen(Time sent, Time now) { lease_.acknowledged(sent, now); }
  // The launcher itself stood still for so long: the agent is not to blame.
  void excuse(std::chrono::nanoseconds standstill, Time now);

  // Why the agent has to be given up, when so much waits to be sent to it; "" = it need not.
  std::string fault(Time now, size_t queued_bytes) const;

 private:
  std::chrono::milliseconds silence_limit_, lease_length_;
  size_t queue_limit_;
  Time heard_;
  Lease lease_;
};

}  // namespace ds
