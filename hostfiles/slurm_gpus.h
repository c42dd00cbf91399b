// How many GPUs of each node belong to a Slurm job, which the environment tells of one node only.
#pragma once

#include <map>
#include <string>

namespace ds {

// True when the job asked for GPUs in a way that may give nodes different numbers: --gpus, --gpus-per-task,
// --gpus-per-socket.
bool gpus_may_differ(const std::map<std::string, std::string>& environment);

// From what `scontrol show job -d` prints: "Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:a100:3(IDX:0-2)". Nodes that it does
// not tell of are left out.
std::map<std::string, int> gpus_by_node(const std::string& shown);

}  // namespace ds
