// Who starts the agent of which host, and when: the launcher itself, or the agents that are there already, as a tree.
// Pure.
//
// The hosts form a tree of fan-out f in the order of their list: the launcher starts hosts 0 ... f-1, the agent of the
// i-th host starts hosts f*(i+1) ... f*(i+1)+f-1. Warm hosts (a resident agent is there) stand outside: the launcher calls
// them all. A start through another host that fails is tried again by the
// launcher, so is a call that fails, by ssh, and so are the hosts that a lost or unreachable host would have started:
// whoever can be reached joins.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <vector>

namespace ds {

struct StartLimits {
  // An ssh costs its starter 10 to 150 ms of processor time: more of them at once would outlast their own deadlines, and
  // the simulation finds no number of hosts that comes up sooner with a larger fan-out (docs/start_up.md).
  int fan_out = 16;  // starts by the launcher and by each agent; 0 = the launcher starts all
  int at_once = 32;  // starts of the launcher under way
  std::chrono::milliseconds each{10000};  // until an agent has joined
  // As long as agents keep coming at least so often, one that is late may only be slow, as they are: it gets three times
  // as long. Where nothing comes any more, it does not either.
  std::chrono::milliseconds quiet{2000};
};

class StartSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `num_hosts` in all; `warm` and `tree` are started one by one, in this order; the others together, at once.
  StartSchedule(int num_hosts, const std::vector<int>& warm, const std::vector<int>& tree, StartLimits limits,
                Time now);

  std::vector<int> starts(Time now);  // of the launcher, now
  // Its agent is there: the hosts that it starts now.
  std::vector<int> joined(int host, Time now);
  // Its start ended, and no agent came. `hopeless`: the launcher would not do better. False: no other way is left.
  bool failed(int host, bool hopeless);
  void lost(int host);  // an agent that had joined: what it was starting falls back to the launcher

  bool open(int host) const;                   // waiting or starting
  std::optional<int> starter(int host) const;  // the host whose agent started or starts it
  bool all_over() const { return open_ == 0; }  // every host has joined or failed
  std::vector<int> overdue(Time now) const;    // not expected any more
  std::vector<int> late(Time now);             // past their time, but others still come; each is told once
  std::optional<Time> next_deadline() const;   // when to ask for both again

 private:
  enum class State { kWaiting, kStarting, kJoined, kFailed };
  struct Entry {
    State state = State::kWaiting;
    bool single = false;   // started one by one
    bool warm = false, in_tree = false, orphan = false;  // orphan: left to the launcher
    bool told = false;                                   // that it is late
    int position = 0;                      // in the tree
    std::optional<int> starter{};
    Time deadline{};
  };

  void no_more_under_way(const Entry& entry);
  Time end_of(const Entry& entry) const;  // of its patience
  std::vector<int> children(int host) const;
  void adopt_children(int host);

  StartLimits limits_;
  std::vector<int> tree_;
  std::vector<Entry> entries_;
  Time last_joined_;
  std::deque<int> ready_;  // waiting ones that the launcher is to start
  int under_way_ = 0;      // starts of the launcher
  int open_ = 0;           // hosts that have neither joined nor failed
};

}  // namespace ds
