// After a generation of ranks: whether there is another one, with how many ranks, on which hosts. Pure.
//
// The ladder (launcher reference 6.2): the same world on the same hosts; a spare host in place of a lost one; the largest
// smaller world that keeps the batch; waiting for hosts; the end, with a code that tells schedulers what to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/elastic/elastic_policy.h"
#include "launcher/elastic/membership.h"

namespace ds {

inline constexpr int kExitNoProgress = 93;

// What the generations of a job have achieved, and how often they failed.
class GenerationHistory {
 public:
  using Time = Membership::Time;

  // `step`: the last one that was reached, -1 = none, nullopt = nothing is known of steps. Steps of a generation that went
  // back to a checkpoint count once they pass what was reached before.
  // `counts`: it says something about the job, not only about one host.
  void failed(Time now, std::optional<int64_t> step, bool counts = true);
  void regrouped(int64_t step);  // ended on our own wish

  int restarts(Time now, std::chrono::seconds window) const;  // failures within the window
  int idle() const { return idle_; }                          // failures in a row without progress

 private:
  std::deque<Time> failures_;
  int64_t furthest_ = -1;
  int idle_ = 0;
};

// What a host offers: ranks it has room for; 0 = it is not there.
struct HostRoom {
  int ranks = 0;
  bool trusted = true;
};

struct GenerationChoice {
  int world = 0;             // 0 = no world that may be is possible now
  std::vector<bool> members{};  // hosts that may get ranks
};

// `legal`: whether a world of so many ranks can train this job (the batch divides). Hosts are taken in their order, trusted
// ones first. A job that does not shrink has `full` ranks or none.
GenerationChoice choose_generation(const ElasticPolicy& policy, const std::vector<HostRoom>& rooms, int full,
                                   const std::function<bool(int world)>& legal);

// Why the job is not to go on although there are hosts: exit code and reason; 0 = it goes on.
struct GiveUp {
  int exit_code = 0;
  std::string reason;
};
GiveUp why_give_up(const ElasticPolicy& policy, const GenerationHistory& history, Membership::Time now,
                   int code_of_failure);

}  // namespace ds
