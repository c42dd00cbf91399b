// The hosts and slots of the Slurm allocation that an environment describes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

// True when the environment is that of a Slurm job with a node list.
bool has_slurm_allocation(const std::map<std::string, std::string>& environment);

// Hosts of SLURM_JOB_NODELIST (SLURM_NODELIST); inside a step of srun the SLURM_STEP_* variables win (those of another
// step must be gone, see slurm_step.h). Slots, first that applies: tasks per node when tasks were asked for
// (SLURM_NTASKS, SLURM_NTASKS_PER_NODE), the node's GPUs (SLURM_GPUS_ON_NODE; unknown where nodes may have different
// numbers), tasks per node as Slurm derived them from its CPUs, CPUs per node; else unknown.
// Throws kUsage naming variable and value when they are malformed or disagree about the number of nodes, and when this
// process is one of several tasks of a step.
Cluster slurm_allocation(const std::map<std::string, std::string>& environment);

// All nodes of the job that has_slurm_allocation() sees, whatever step this process stands in.
struct SlurmNodes {
  std::string job, list;  // "7", "n[1-3]"
  std::vector<std::string> names;
};
SlurmNodes slurm_nodes(const std::map<std::string, std::string>& environment);

}  // namespace ds
