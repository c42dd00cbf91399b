#include "launcher/plan/port_budget.h"

#include <algorithm>
#include <string>

#include "launcher/plan/launch_plan.h"
#include "launcher/options/options.h"
#include "topology/base/error.h"

namespace ds {

int ports_needed(const LaunchPlan& plan, const std::vector<bool>& local, const Options& options, size_t host) {
  constexpr int kPortsOfMpirun = 3;  // and of each of its daemons
  const bool by_mpirun = options.wireup == "mpirun", mpi = options.wireup == "pmix" || by_mpirun, several = std::count_if(plan.slots_used.begin(), plan.slots_used.end(),
                                                                      [](int used) { return used > 0; }) > 1;
  int needed = local[host] ? 1 : 0;
  if (plan.slots_used[host] > 0 && mpi)
    needed += 1 + (several ? plan.slots_used[host] : 0) + (by_mpirun ? kPortsOfMpirun : 0);
  if (!plan.ranks.empty() && plan.ranks[0].host == host && !options.master_port) needed += 1;
  return needed;
}

void check_port_budget(const LaunchPlan& plan, const std::vector<bool>& local, const Options& options) {
  if (!options.ports) return;
  const int there = options.ports->second - options.ports->first + 1;
  for (size_t host = 0; host < plan.hosts.size(); ++host)
    if (const int needed = ports_needed(plan, local, options, host); needed > there)
      throw Error(ErrorCode::kUsage, "option --ports=" + std::to_string(options.ports->first) + "-" +
                                         std::to_string(options.ports->second) + ": " + std::to_string(there) +
                                         " ports, but " + plan.hosts[host].name + " needs " + std::to_string(needed) +
                                         " for " + std::to_string(plan.slots_used[host]) + " ranks");
}

}  // namespace ds
