#include "launcher/elastic/elastic_world.h"

#include <algorithm>
#include <numeric>

#include "launcher/elastic/restart_config.h"
#include "launcher/plan/job.h"

namespace ds {
namespace {

// The job as it would be if its other hosts did not exist.
Job part_of(const Job& job, const GenerationChoice& choice, std::vector<size_t>& index) {
  Job part = job;
  part.hosts.cluster.hosts.clear();
  part.local.clear();
  for (size_t host = 0; host < choice.members.size(); ++host) {
    if (!choice.members[host]) continue;
    index.push_back(host);
    part.hosts.cluster.hosts.push_back(job.hosts.cluster.hosts[host]);
    part.local.push_back(job.local[host]);
  }
  return part;
}

}  // namespace

ElasticWorld::ElasticWorld(const Job& first)
    : first_{ranks_wanted(first.options), first.plan.world_size, 1, {}, false, first.plan.slots_used} {
  if (!first.settings) return;
  first_.per_replica = std::max(1, first_.ranks / first.settings->parallel.data);
  first_.batch = first.settings->batch;
  first_.micro_chosen = chooses_micro_batch(*first.config);
}

int ElasticWorld::full(const ElasticPolicy& policy, const std::vector<HostRoom>& rooms) const {
  if (!policy.shrinks) return first_.ranks;
  const int room =
      std::accumulate(rooms.begin(), rooms.end(), 0, [](int sum, const HostRoom& one) { return sum + one.ranks; });
  return first_.asked ? std::min(*first_.asked, room) : room;
}

int64_t ElasticWorld::micro_batch(int world) const {
  if (first_.batch.train == 0) return 1;
  const int64_t replicas = world / first_.per_replica;
  if (world % first_.per_replica != 0 || replicas == 0 || first_.batch.train % replicas != 0) return 0;
  const int64_t samples = first_.batch.train / replicas;
  for (int64_t micro = std::min(first_.batch.micro, samples); micro >= 1; --micro) {
    if (samples % micro == 0) return micro;
    if (first_.micro_chosen) return 0;
  }
  return 0;
}

ElasticReport ElasticWorld::report(const ElasticPolicy& policy) const {
  ElasticReport report;
  report.max_restarts = policy.max_restarts;
  const int most = policy.max_ranks > 0 ? std::min(first_.ranks, policy.max_ranks) : first_.ranks;
  for (int ranks = most; ranks >= (policy.shrinks ? std::max(1, policy.min_ranks) : most); --ranks) {
    if (!legal(ranks)) continue;
    const int64_t micro = first_.batch.train > 0 ? micro_batch(ranks) : 0;
    report.worlds.push_back({ranks, micro, micro > 0 ? first_.batch.train / (ranks / first_.per_replica) / micro : 0});
  }
  return report;
}

std::vector<HostRoom> ElasticWorld::rooms(const Job& job, const Membership& membership, Membership::Time now) const {
  std::vector<HostRoom> rooms(membership.size());
  for (size_t host = 0; host < rooms.size(); ++host) {
    if (!membership.there(static_cast<int>(host))) continue;
    const int used = host < first_.room.size() ? first_.room[host] : 0;
    rooms[host] = {std::max(used, job.hosts.cluster.hosts[host].slots.value_or(0)),
                   membership.trusted(static_cast<int>(host), now)};
  }
  return rooms;
}

void ElasticWorld::plan(Job& job, const GenerationChoice& choice, bool restart) const {
  std::vector<size_t> index;
  Job part = part_of(job, choice, index);
  part.options.np = choice.world;
  if (part.config && restart)
    part.config = restart_config(*part.config, first_.batch.train, micro_batch(choice.world), job.output);
  complete_plan(part);
  job.config = std::move(part.config);
  job.settings = std::move(part.settings);
  job.output = std::move(part.output);
  const std::vector<Host> all = job.hosts.cluster.hosts;
  job.plan = std::move(part.plan);
  for (RankPlace& place : job.plan.ranks) place.host = index[place.host];
  std::vector<int> used(all.size());
  for (const RankPlace& place : job.plan.ranks) ++used[place.host];
  job.plan.slots_used = std::move(used);
  job.plan.hosts = all;
}

}  // namespace ds
