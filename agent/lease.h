// How long an agent may live on without the launcher: a value on a monotonic clock, counted from the sending of the
// last beat that was acknowledged (an acknowledgement that was long on its way must not prolong the lease).
#pragma once

#include <algorithm>
#include <chrono>

namespace ds {

class Lease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Lease(Time now, std::chrono::milliseconds length) : last_contact_(now), length_(length) {}

  // `sent` comes back from the other side; a time in the future is taken as now.
  void acknowledged(Time sent, Time now) { last_contact_ = std::max(last_contact_, std::min(sent, now)); }
  Time expires() const { return last_contact_ + length_; }
  // Once an eighth of it is over: a few answers may be lost, and an idle agent is seldom woken up by them.
  bool wants_renewal(Time now) const { return now - last_contact_ >= length_ / 8; }
  bool expired(Time now) const { return now >= expires(); }
  std::chrono::milliseconds silence(Time now) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - last_contact_);
  }

 private:
  Time last_contact_;
  std::chrono::milliseconds length_;
};

}  // namespace ds
