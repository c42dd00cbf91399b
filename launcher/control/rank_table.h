// What is known about the ranks of a generation: on which host, started or not, ended or not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "launcher/plan/launch_plan.h"

namespace ds {

class RankTable {
 public:
  RankTable() = default;
  explicit RankTable(const LaunchPlan& plan);

  void host_started(int host);                 // GenerationStarted
  void rank_started(int rank, int pid);
  // False when the rank is unknown or its end is known already.
  bool rank_ended(int rank);
  void host_ended(int host);                   // GenerationEnded, or the host is lost

  bool all_started() const;                    // every host with ranks told so
  bool all_exited() const { return alive_.empty(); }
  bool all_ended() const { return hosts_.empty(); }
  int host_of(int rank) const { return host_of_[rank]; }
  int pid_of(int rank) const { return pid_of_[rank]; }  // 0 = not known
  bool runs(int rank) const { return pid_of_[rank] != 0 && alive_.count(rank) != 0; }
  bool knows(int rank) const { return rank >= 0 && rank < static_cast<int>(host_of_.size()); }
  std::vector<int> unstarted_hosts() const;
  std::vector<int> unended_hosts() const { return {hosts_.begin(), hosts_.end()}; }
  // A line for each rank: host, pid, running or ended.
  std::string state_text(const LaunchPlan& plan) const;
  std::vector<int> alive_ranks() const { return {alive_.begin(), alive_.end()}; }

 private:
  std::vector<int> host_of_, pid_of_;
  std::set<int> hosts_, unstarted_, alive_;
};

// "0-3,7": ranks or hosts in messages.
std::string ranges_text(const std::vector<int>& sorted);

}  // namespace ds
