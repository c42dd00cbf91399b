#include "launcher/elastic/generation_decision.h"

#include <algorithm>
#include <numeric>

#include "launcher/output/verdict.h"

namespace ds {

void GenerationHistory::failed(Time now, std::optional<int64_t> step, bool counts) {
  failures_.push_back(now);
  if (!step) return;
  if (*step > furthest_) idle_ = 0;
  else if (counts) ++idle_;
  furthest_ = std::max(furthest_, *step);
}

void GenerationHistory::regrouped(int64_t step) {
  if (step > furthest_) idle_ = 0;
  furthest_ = std::max(furthest_, step);
}

int GenerationHistory::restarts(Time now, std::chrono::seconds window) const {
  return static_cast<int>(
      std::count_if(failures_.begin(), failures_.end(), [&](Time time) { return now - time <= window; }));
}

namespace {

// All hosts in order, up to the most there may be; which of them get ranks is left to placement. Nothing when they have no
// room for `world` or are too few.
std::vector<bool> members_for(int world, const ElasticPolicy& policy, const std::vector<HostRoom>& rooms,
                              const std::vector<size_t>& order) {
  std::vector<bool> members(rooms.size());
  int room = 0, hosts = 0;
  for (size_t host : order) {
    if (policy.max_hosts > 0 && hosts == policy.max_hosts) break;
    if (rooms[host].ranks == 0) continue;
    members[host] = true;
    room += rooms[host].ranks;
    ++hosts;
  }
  const bool enough = room >= world && hosts >= policy.min_hosts;
  return enough ? members : std::vector<bool>{};
}

GenerationChoice choose_from(const ElasticPolicy& policy, const std::vector<HostRoom>& rooms, int full,
                             const std::function<bool(int)>& legal, const std::vector<size_t>& order) {
  const int most = policy.max_ranks > 0 ? std::min(full, policy.max_ranks) : full;
  const int least = policy.shrinks ? std::max(1, policy.min_ranks) : most;
  for (int world = most; world >= least; --world) {
    if (!legal(world)) continue;
    std::vector<bool> members = members_for(world, policy, rooms, order);
    if (!members.empty()) return {world, std::move(members)};
  }
  return {0, std::vector<bool>(rooms.size())};
}

}  // namespace

GenerationChoice choose_generation(const ElasticPolicy& policy, const std::vector<HostRoom>& rooms, int full,
                                   const std::function<bool(int)>& legal) {
  std::vector<size_t> trusted, all(rooms.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::copy_if(all.begin(), all.end(), std::back_inserter(trusted), [&](size_t host) { return rooms[host].trusted; });
  GenerationChoice choice = choose_from(policy, rooms, full, legal, trusted);
  if (choice.world > 0) return choice;
  std::stable_partition(all.begin(), all.end(), [&](size_t host) { return rooms[host].trusted; });
  return choose_from(policy, rooms, full, legal, all);
}

GiveUp why_give_up(const ElasticPolicy& policy, const GenerationHistory& history, Membership::Time now,
                   int code_of_failure) {
  if (history.idle() >= policy.idle_generations)
    return {kExitNoProgress, std::to_string(history.idle()) +
                                 " generations in a row failed without reaching a new step; " +
                                 "starting once more would not help"};
  const int restarts = history.restarts(now, policy.window) - 1;  // the failure that is being decided is no restart yet
  if (restarts < policy.max_restarts) return {};
  const std::string budget = std::to_string(policy.max_restarts) + " restart" + (policy.max_restarts == 1 ? "" : "s");
  return {policy.max_restarts == 0 ? code_of_failure : kExitHostLost, "the " + budget + " that it may have within " +
                                                                          std::to_string(policy.window.count() / 60) +
                                                                          " minutes are used up"};
}

}  // namespace ds
