#include "launcher/elastic/generation_planner.h"

#include <algorithm>
#include <utility>

#include "launcher/records/handover.h"
#include "launcher/output/verdict.h"
#include "launcher/plan/job.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

GenerationPlanner::GenerationPlanner(Job& job) : job_(job), members_(job.plan.hosts.size()) {}

bool GenerationPlanner::has_ranks(int host) const {
  return static_cast<size_t>(host) < job_.plan.slots_used.size() && job_.plan.slots_used[static_cast<size_t>(host)] > 0;
}

const std::string& GenerationPlanner::name(size_t host) const { return job_.plan.hosts[host].name; }

// ---- plans

bool GenerationPlanner::plan_first(Time now) {
  size_t there = 0;
  for (size_t host = 0; host < members_.size(); ++host) there += members_.there(static_cast<int>(host));
  const ElasticPolicy& policy = job_.elastic;
  if (there == members_.size() && policy.max_hosts == 0) {
    complete_plan(job_);
    if (!job_.plan.placed || policy.max_ranks == 0 || job_.plan.world_size <= policy.max_ranks) {
      world_ = ElasticWorld(job_);
      return true;
    }
  }
  fill_slots(job_.hosts.cluster, job_.training(), job_.options.threads_are_cpus);
  const ElasticWorld unplanned(job_);
  const std::vector<HostRoom> rooms = unplanned.rooms(job_, members_, now);
  std::string problem;
  const auto fits = [&](int world) {
    try {
      GenerationChoice choice{world, {}};
      for (const HostRoom& room : rooms) choice.members.push_back(room.ranks > 0);
      unplanned.plan(job_, choice, false);
      return true;
    } catch (const Error& error) {
      problem = error.what();
      return false;
    }
  };
  const GenerationChoice choice = choose_generation(policy, rooms, unplanned.full(policy, rooms), fits);
  if (choice.world == 0 && problem.empty()) return false;
  if (choice.world == 0)
    throw Error(ErrorCode::kUsage,
                "no number of ranks that [elastic] allows can run on the hosts that are there: " + problem);
  unplanned.plan(job_, choice, false);
  world_ = ElasticWorld(job_);
  return true;
}

bool GenerationPlanner::plan_after(const Handover& left, bool goes_on, Time now) {
  fill_slots(job_.hosts.cluster, job_.training(), job_.options.threads_are_cpus);
  world_ = ElasticWorld(left.first);
  GenerationChoice choice{static_cast<int>(left.host_of_rank.size()), std::vector<bool>(members_.size())};
  for (int host : left.host_of_rank) choice.members[static_cast<size_t>(host)] = true;
  if (!goes_on) choice = best_choice(now);
  if (choice.world == 0) return false;
  world_.plan(job_, choice, true);
  return true;
}

std::string GenerationPlanner::plan_next(Time now) {
  const bool waited = next_.world == 0;
  if (waited) next_ = best_choice(now);
  const std::string text = waited ? text_of(next_) : "";
  world_.plan(job_, std::exchange(next_, {}), true);
  return text;
}

GenerationChoice GenerationPlanner::choose(const std::vector<HostRoom>& rooms) const {
  return choose_generation(job_.elastic, rooms, world_.full(job_.elastic, rooms),
                           [this](int world) { return world_.legal(world); });
}

GenerationChoice GenerationPlanner::best_choice(Time now) const { return choose(world_.rooms(job_, members_, now)); }

bool GenerationPlanner::can_plan(Time now) const {
  const int world = best_choice(now).world;
  if (world == 0 || world >= world_.first().ranks) return world > 0;
  for (size_t host = 0; host < members_.size(); ++host)
    if (members_.may_come(static_cast<int>(host), now)) return false;
  return true;
}

int GenerationPlanner::larger_world(Time now) const {
  std::vector<HostRoom> rooms = world_.rooms(job_, members_, now);
  for (size_t host = 0; host < rooms.size(); ++host) {
    const int index = static_cast<int>(host);
    const bool stayed = now - members_.since(index).value_or(now) >= job_.elastic.grow_after;
    if (!has_ranks(index) && (!rooms[host].trusted || !stayed)) rooms[host].ranks = 0;
  }
  const int world = choose(rooms).world;
  return world > job_.plan.world_size ? world : 0;
}

// ---- the end of a generation

GenerationPlanner::Outcome GenerationPlanner::decide(const Verdict* setback, std::optional<int64_t> reached, Time now) {
  if (setback) {
    history_.failed(now, reached, !setback->host_fault);
    blame(*setback, now);
    if (const GiveUp end = why_give_up(job_.elastic, history_, now, setback->exit_code); end.exit_code != 0)
      return {Course::kGiveUp, end, ""};
  } else {
    history_.regrouped(reached.value_or(-1));
  }
  next_ = best_choice(now);
  if (next_.world == 0) return {Course::kWait, {}, ""};
  return {Course::kAgain, {}, text_of(next_)};
}

// A lost host has been blamed already.
void GenerationPlanner::blame(const Verdict& verdict, Time now) {
  for (size_t host = 0; host < members_.size(); ++host) {
    if (name(host) != verdict.host || !members_.there(static_cast<int>(host))) continue;
    if (verdict.host_fault) members_.at_fault(static_cast<int>(host), now);
    else members_.blamed(static_cast<int>(host), now);
  }
}

// ---- words

std::string GenerationPlanner::text_of(const GenerationChoice& choice) const {
  std::vector<std::string> names;
  for (size_t host = 0; host < choice.members.size(); ++host)
    if (choice.members[host]) names.push_back(name(host));
  std::string text = "starting again: " + std::to_string(choice.world) +
                     (choice.world == 1 ? " rank on " : " ranks on ") + join(names, ", ");
  if (choice.world != job_.plan.world_size) text += " (there were " + std::to_string(job_.plan.world_size) + ")";
  if (!job_.training()) return text;
  return text + (checkpoint_ >= 0 ? ", from step " + std::to_string(checkpoint_) : ", from the newest checkpoint");
}

std::string GenerationPlanner::gone_hosts() const {
  std::vector<std::string> names;
  for (size_t host = 0; host < members_.size(); ++host)
    if (!members_.there(static_cast<int>(host))) names.push_back(name(host));
  return names.empty() ? "more hosts" : join(names, ", ");
}

}  // namespace ds
