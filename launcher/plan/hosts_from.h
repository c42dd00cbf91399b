// Where a job's hosts come from: -H, a hostfile, a rankfile, a Slurm allocation, a default hostfile
// (--default-hostfile, then Open MPI's parameter), a topology file, this machine; the first that is there counts. With
// -H a hostfile still tells port and user of the hosts that it names. Programs "a : b" may have -H and hostfiles of their own: the
// job has the hosts of all, and each host says how many slots each program has there. Inside a Slurm allocation the
// hosts of a list must be its nodes, or reached by ssh on purpose (slurm_reach.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

struct Options;
struct Rankfile;

struct HostSource {
  Cluster cluster;                    // after --include, --exclude, --num_nodes, --num_gpus
  std::string source;                 // "-H", "hostfile hosts", "SLURM job 7", "this machine"
  bool slurm = false;                 // reach the hosts by srun
  std::vector<std::string> warnings{};
  std::set<std::string> on_trust{};  // of unknown slots, of which a filter took some: they must turn out to have them
};

// `this_machine`: its description, used when nothing else names hosts. Reads the files of hosts; throws kUsage.
HostSource hosts_from(const Options& options, const std::map<std::string, std::string>& environment,
                      const Host& this_machine, const std::optional<Rankfile>& rankfile);

std::map<std::string, std::string> environment_map();

}  // namespace ds
