#include "launcher/control/rank_table.h"

namespace ds {

RankTable::RankTable(const LaunchPlan& plan) : pid_of_(plan.ranks.size(), 0) {
  for (const RankPlace& place : plan.ranks) {
    int host = static_cast<int>(place.host);
    host_of_.push_back(host);
    hosts_.insert(host);
    alive_.insert(place.rank);
  }
  unstarted_ = hosts_;
}

void RankTable::host_started(int host) { unstarted_.erase(host); }

void RankTable::rank_started(int rank, int pid) {
  if (knows(rank)) pid_of_[rank] = pid;
}

bool RankTable::rank_ended(int rank) { return alive_.erase(rank) != 0; }

void RankTable::host_ended(int host) {
  hosts_.erase(host);
  unstarted_.erase(host);
  for (size_t rank = 0; rank < host_of_.size(); ++rank)
    if (host_of_[rank] == host) alive_.erase(static_cast<int>(rank));
}

bool RankTable::all_started() const { return unstarted_.empty(); }

std::vector<int> RankTable::unstarted_hosts() const { return {unstarted_.begin(), unstarted_.end()}; }

std::string RankTable::state_text(const LaunchPlan& plan) const {
  std::string text;
  for (size_t rank = 0; rank < host_of_.size(); ++rank)
    text += "rank " + std::to_string(rank) + " on " + plan.hosts[static_cast<size_t>(host_of_[rank])].name + ", pid " +
            std::to_string(pid_of_[rank]) + ": " + (alive_.count(static_cast<int>(rank)) ? "running" : "has ended") +
            "\n";
  return text;
}

std::string ranges_text(const std::vector<int>& sorted) {
  std::string text;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i;
    while (end + 1 < sorted.size() && sorted[end + 1] == sorted[end] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(sorted[i]);
    if (end > i) text += "-" + std::to_string(sorted[end]);
    i = end + 1;
  }
  return text;
}

}  // namespace ds
