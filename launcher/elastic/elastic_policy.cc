#include "launcher/elastic/elastic_policy.h"

#include "launcher/plan/job.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// Types and ranges were checked with all keys of the file.
int number(const Job& job, const std::string& key, int fallback) {
  if (!job.config) return fallback;
  const std::optional<int64_t> value = parse_int(job.config->text(key));
  return value ? static_cast<int>(*value) : fallback;
}

bool switched_on(const Job& job) {
  if (job.options.elastic) return true;
  return job.config && job.config->text("elastic.enabled", "false") == "true";
}

void check(const ElasticPolicy& policy, const Job& job, bool any_number) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorCode::kUsage, why); };
  if (any_number && !policy.restarts)
    refuse("--min-ranks, --min_elastic_nodes and --max_elastic_nodes mean something together with --elastic only");
  if (!policy.restarts) return;
  if (policy.max_ranks > 0 && policy.min_ranks > policy.max_ranks)
    refuse("elastic: at least " + std::to_string(policy.min_ranks) + " ranks, but at most " +
           std::to_string(policy.max_ranks));
  if (policy.max_hosts > 0 && policy.min_hosts > policy.max_hosts)
    refuse("elastic: at least " + std::to_string(policy.min_hosts) + " hosts, but at most " +
           std::to_string(policy.max_hosts));
  if (job.options.np && policy.min_ranks > *job.options.np)
    refuse("elastic: at least " + std::to_string(policy.min_ranks) +
           " ranks, but -np=" + std::to_string(*job.options.np));
  if (!policy.shrinks) return;
  if (job.config && job.config->text("parallel.data", "auto") != "auto")
    refuse("elastic, and parallel.data = " + job.config->text("parallel.data") +
           ": the data ranks are what changes; leave it out");
  if (!job.options.rankfile.empty())
    refuse("--elastic and --rankfile: a rankfile fixes which rank is where; leave one out");
  if (job.options.programs.size() > 1)
    refuse("--elastic and \"a : b\": how many ranks each would get is not known; use --max-restarts alone");
  if (!job.options.mesh.empty())
    refuse("--elastic and --mesh: the mesh fixes the number of ranks; use --max-restarts alone");
}

}  // namespace

ElasticPolicy elastic_policy(const Job& job) {
  const Options& options = job.options;
  ElasticPolicy policy;
  policy.shrinks = switched_on(job);
  policy.restarts = policy.shrinks || options.max_restarts.value_or(0) > 0;
  policy.min_ranks = options.min_ranks.value_or(number(job, "elastic.min_ranks", 1));
  policy.max_ranks = number(job, "elastic.max_ranks", 0);
  policy.max_restarts = options.max_restarts.value_or(number(job, "elastic.max_restarts", policy.max_restarts));
  policy.min_hosts = options.min_elastic_nodes.value_or(1);
  policy.max_hosts = options.max_elastic_nodes.value_or(0);
  policy.join_wait = std::chrono::seconds(number(job, "elastic.join_wait", 60));
  policy.grow_after = std::chrono::seconds(number(job, "elastic.grow_after", 60));
  check(policy, job, options.min_ranks || options.min_elastic_nodes || options.max_elastic_nodes);
  return policy;
}

}  // namespace ds
