// Starts the agents of all hosts of a Slurm allocation by one srun step, which lives as long as the job; by one for
// each number of GPUs where nodes have different numbers.
#include "launcher/reach/agent_starter.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// What the user asked of his tasks must not shape the step of the agents: with these set, srun starts one agent per
// task (launcher reference, section 6.7), or asks for GPUs that a step of one task a node cannot have.
const std::vector<std::string>& variables_of_tasks() {
  static const std::vector<std::string> names = {
      "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_TRES_PER_TASK", "SLURM_CPUS_PER_TASK",
      "SLURM_TASKS_PER_NODE", "SLURM_DISTRIBUTION", "SLURM_CPU_BIND", "SLURM_EXCLUSIVE", "SLURM_HINT",
      "SRUN_CPUS_PER_TASK", "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_GPU",
      "SLURM_NTASKS_PER_TRES", "SLURM_GPUS_PER_TASK", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU",
      "SLURM_MEM_PER_NODE", "SLURM_GPUS", "SLURM_GPUS_PER_SOCKET", "SLURM_CPUS_PER_GPU", "SLURM_GPU_BIND",
      "SLURM_THREADS_PER_CORE"};
  return names;
}

const std::string& slurm_name(const Host& host) { return host.node.empty() ? host.name : host.node; }

class SrunStarter : public AgentStarter {
 public:
  SrunStarter(std::string program, std::map<std::string, int> gpus)
      : program_(std::move(program)), gpus_(std::move(gpus)) {}

  // One step for all nodes, or for all that have the same number of GPUs.
  std::vector<AgentCommand> commands(const std::vector<Host>& hosts, const std::vector<int>& which) const override {
    std::map<std::string, std::vector<int>> steps;
    for (int host : which) steps[gpu_option(slurm_name(hosts[host]))].push_back(host);
    std::vector<AgentCommand> result;
    for (const auto& [option, members] : steps) {
      AgentCommand& one = result.emplace_back();
      std::vector<std::string> names;
      for (int host : members) names.push_back(slurm_name(hosts[host]));
      one.command = step(names);
      one.command.argv.insert(one.command.argv.end(), {"--no-kill", "--kill-on-bad-exit=0", "--wait=0", program_});
      one.hosts = members;
      one.finds_own_host = true;
    }
    return result;
  }

  HelperCommand sweep(const std::vector<Host>& hosts, int host, const std::string& job) const override {
    HelperCommand command = step({slurm_name(hosts[host])});
    command.argv.insert(command.argv.end(), {"--immediate=3", program_, "--sweep", job});
    return command;
  }

 private:
  // "": none. A step that asks for no GPUs asks for those of the whole job when these came from --gpus.
  std::string gpu_option(const std::string& node) const {
    const auto found = gpus_.find(node);
    if (found == gpus_.end()) return "";
    return found->second > 0 ? "--gpus-per-node=" + std::to_string(found->second) : "--gres=none";
  }

  // Of nodes with the same number of GPUs.
  HelperCommand step(const std::vector<std::string>& names) const {
    std::string count = std::to_string(names.size());
    HelperCommand command{
        {"srun", "--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1", "--nodelist=" + join(names, ","),
         "--mpi=none", "--overlap", "--cpu-bind=none", "--export=ALL"},
        variables_of_tasks(),
        true};
    if (const std::string option = gpu_option(names[0]); !option.empty()) command.argv.push_back(option);
    return command;
  }

  std::string program_;
  std::map<std::string, int> gpus_;  // by node
};

}  // namespace

std::unique_ptr<AgentStarter> srun_starter(const std::string& program, std::map<std::string, int> gpus) {
  return std::make_unique<SrunStarter>(program, std::move(gpus));
}

}  // namespace ds
