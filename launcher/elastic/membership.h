// Which hosts of a job are there, and how far each is trusted. Pure: told what happens and when.
//
//   kComing --joined--> kThere --lost--> kGone --its time to try again--> kReturning --ready--> kThere
//                                          ^------- it did not come -------------'
//
// A host with three failures within half an hour is left alone for a minute, after each further one for twice as long, at
// most an hour (launcher reference 6.2).
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <vector>

namespace ds {

class Membership {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Membership(size_t num_hosts);

  void joined(int host, Time now);    // described and checked: ranks may start there
  void lost(int host, Time now);      // or never reached
  void trying(int host);              // its agent is being started again
  void arrived(int host);  // at the start of the job, before hosts are described: as if it had never been gone
  void blamed(int host, Time now);    // a generation failed because of it; lost() blames as well
  void at_fault(int host, Time now);  // it cannot start ranks: left alone at once, as after three failures

  bool coming(int host) const;        // nothing is known of it yet
  bool there(int host) const;
  bool gone(int host) const;          // neither there nor coming
  bool returning(int host) const;
  // Not there, its first try is not over, and it is not left alone: it may be back in a moment.
  bool may_come(int host, Time now) const;
  // There and not left alone.
  bool trusted(int host, Time now) const;
  std::optional<Time> since(int host) const;  // when it joined last
  std::optional<Time> left_alone_until(int host, Time now) const;

  // Gone hosts that should be tried again by now.
  std::vector<int> due(Time now) const;
  size_t size() const { return hosts_.size(); }

 private:
  enum class State { kComing, kThere, kGone, kReturning };
  struct Entry {
    State state = State::kComing;
    Time since{};               // of kThere
    Time try_at{};              // of kGone
    int tries = 0;              // in vain, since it was there
    std::deque<Time> failures{};  // the last half hour
    Time alone_until{};
    int times_alone = 0;
  };

  static void leave_alone(Entry& entry, Time now);

  std::vector<Entry> hosts_;
};

}  // namespace ds
