// Starts the agents of all hosts of a Slurm allocation by one srun step, which lives as long as the job.
#include "launcher/reach/agent_starter.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// What the user asked of his tasks must not shape the step of the agents: with these set, srun starts one agent per
// task. (launcher reference, section 6.7.)
const std::vector<std::string>& variables_of_tasks() {
  static const std::vector<std::string> names = {
      "SLURM_NTASKS",        "SLURM_NPROCS",      "SLURM_NTASKS_PER_NODE", "SLURM_TRES_PER_TASK", "SLURM_CPUS_PER_TASK",
      "SLURM_TASKS_PER_NODE", "SLURM_DISTRIBUTION", "SLURM_CPU_BIND",        "SLURM_EXCLUSIVE",     "SLURM_HINT",
      "SRUN_CPUS_PER_TASK",  "SLURM_NTASKS_PER_CORE", "SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_GPU",
      "SLURM_NTASKS_PER_TRES", "SLURM_GPUS_PER_TASK", "SLURM_MEM_PER_CPU",   "SLURM_MEM_PER_GPU",   "SLURM_MEM_PER_NODE"};
  return names;
}

const std::string& slurm_name(const Host& host) { return host.node.empty() ? host.name : host.node; }

class SrunStarter : public AgentStarter {
 public:
  explicit SrunStarter(std::string program) : program_(std::move(program)) {}

  std::vector<AgentCommand> commands(const std::vector<Host>& hosts, const std::vector<int>& which) const override {
    if (which.empty()) return {};
    std::vector<std::string> names;
    for (int host : which) names.push_back(slurm_name(hosts[host]));
    AgentCommand all;
    all.command = step(names);
    all.command.argv.insert(all.command.argv.end(), {"--no-kill", "--kill-on-bad-exit=0", "--wait=0", program_});
    all.hosts = which;
    all.finds_own_host = true;
    return {all};
  }

  HelperCommand sweep(const std::vector<Host>& hosts, int host, const std::string& job) const override {
    HelperCommand command = step({slurm_name(hosts[host])});
    command.argv.insert(command.argv.end(), {"--immediate=3", program_, "--sweep", job});
    return command;
  }

 private:
  HelperCommand step(const std::vector<std::string>& names) const {
    std::string count = std::to_string(names.size());
    return {{"srun", "--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1", "--nodelist=" + join(names, ","),
             "--mpi=none", "--overlap", "--cpu-bind=none"},
            variables_of_tasks(),
            true};
  }

  std::string program_;
};

}  // namespace

std::unique_ptr<AgentStarter> srun_starter(const std::string& program) {
  return std::make_unique<SrunStarter>(program);
}

}  // namespace ds
