// Whether --ports has enough ports for what listens on a host. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace ds {

struct LaunchPlan;
struct Options;

// Ports that a host needs at the same time: the launcher's own, the PMIx server's, one of each MPI
// rank when there are several hosts, and MASTER_PORT on the host of rank 0.
int ports_needed(const LaunchPlan& plan, const std::vector<bool>& local, const Options& options, size_t host);

// Throws kUsage naming host, range and number when --ports is too small.
void check_port_budget(const LaunchPlan& plan, const std::vector<bool>& local, const Options& options);

}  // namespace ds
