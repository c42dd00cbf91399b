// How hosts of a list are reached inside a Slurm allocation: by srun, which needs no login, leaves the ranks to Slurm
// and knows its own nodes only.
#pragma once

#include <map>
#include <string>

namespace ds {

struct HostSource;
struct Options;

// Sets `slurm` when all hosts are nodes of the allocation around or this machine. Hosts stay with ssh outside of Slurm,
// with --ssh, and when one has a login name or a port. Throws kUsage: hosts that are not in the allocation, two names
// of one node.
void choose_reach(const Options& options, const std::map<std::string, std::string>& environment, HostSource& hosts);

}  // namespace ds
