// What a job may do after a failure: start its ranks again, with as many or with fewer, how often and how long it waits for
// hosts. Values of [elastic] and of --elastic, --min-ranks, --max-restarts and DeepSpeed's names for them.
#pragma once

#include <chrono>

namespace ds {

struct Job;

struct ElasticPolicy {
  bool restarts = false;       // a failure ends a generation, not the job
  bool shrinks = false;        // and the next one may have fewer ranks
  int min_ranks = 1;           // of a generation that shrank
  int max_ranks = 0;           // 0 = as many as there is room for
  int min_hosts = 1, max_hosts = 0;
  int max_restarts = 10;       // after failures, within `window`
  int idle_generations = 3;    // so many failures in a row without progress end the job
  std::chrono::seconds window{3600};
  std::chrono::seconds join_wait{60};   // for hosts, when those that are there are too few
  std::chrono::seconds grow_after{60};  // a host that came back is taken in after so long
};

// Throws kUsage: min over max, more ranks at least than -np, options that do not go together with it.
ElasticPolicy elastic_policy(const Job& job);

}  // namespace ds
