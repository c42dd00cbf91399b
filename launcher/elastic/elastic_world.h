// The plan of a job for the hosts that are there, and for a number of ranks that keeps its batch. Pure.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/config/settings.h"
#include "launcher/elastic/elastic_policy.h"
#include "launcher/elastic/generation_decision.h"
#include "launcher/elastic/membership.h"

namespace ds {

struct ElasticReport;
struct Job;

struct FirstGeneration {
  std::optional<int> asked;   // ranks
  int ranks = 0;
  int per_replica = 1;        // ranks of one model replica
  BatchSizes batch;           // 0 = no training
  bool micro_chosen = false;  // by the user
  std::vector<int> room;      // ranks of each host
};

// What stays the same in all generations of an elastic job; from the plan of the first.
class ElasticWorld {
 public:
  ElasticWorld() = default;
  explicit ElasticWorld(const Job& first);
  explicit ElasticWorld(FirstGeneration first) : first_(std::move(first)) {}

  const FirstGeneration& first() const { return first_; }

  // The most ranks that the job would have on these hosts.
  int full(const ElasticPolicy& policy, const std::vector<HostRoom>& rooms) const;
  // Training: the data ranks divide the batch, the other axes stay. Programs: every number.
  bool legal(int world) const { return micro_batch(world) > 0; }
  // The largest micro-batch that fits so many ranks and is none larger than that of the first generation (memory was
  // enough for that), the very same if the user chose it; 0 = none. 1 for programs.
  int64_t micro_batch(int world) const;
  // What is possible from the first generation's number of ranks downwards.
  ElasticReport report(const ElasticPolicy& policy) const;
  // Ranks that each host has room for: its slots, or more if it had more in the first generation.
  std::vector<HostRoom> rooms(const Job& job, const Membership& membership, Membership::Time now) const;
  // Places the chosen number of ranks on the chosen hosts and resolves the configuration for them; after the first
  // generation (`restart`) with its batch, and from the newest checkpoint. Indices of hosts stay those of the whole job.
  void plan(Job& job, const GenerationChoice& choice, bool restart) const;

 private:
  FirstGeneration first_;
};

}  // namespace ds
