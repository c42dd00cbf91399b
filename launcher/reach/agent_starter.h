// How agents get onto hosts: by fork on this machine, by ssh, by srun. Command lines only; agent_processes runs them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/helper_process.h"
#include "topology/host.h"

namespace ds {

// One helper process that brings up the agents of `hosts` (indices into the job's hosts).
struct AgentCommand {
  HelperCommand command;
  std::vector<int> hosts;
  bool finds_own_host = false;     // the agent must find its host by name (several agents get one bootstrap)
  bool on_this_machine = false;
  bool carries_frames = false;     // its stdin and stdout reach exactly one agent
  bool has_other_way = false;      // an agent that does not find the launcher is ended and started another way
};

class AgentStarter {
 public:
  virtual ~AgentStarter() = default;
  virtual std::vector<AgentCommand> commands(const std::vector<Host>& hosts, const std::vector<int>& which) const = 0;
  // Removes what a dead agent of `job` left on a host.
  virtual HelperCommand sweep(const std::vector<Host>& hosts, int host, const std::string& job) const = 0;
};

// `program`: path of dsagent here.
std::unique_ptr<AgentStarter> local_starter(const std::string& program);
// `ssh`: the command with its own options, "ssh -F file". `program`: path of dsagent on the hosts.
std::unique_ptr<AgentStarter> ssh_starter(const std::string& ssh, const std::string& program);
// `gpus`: of each node, where nodes may have different numbers; those without one get what Slurm thinks fit.
std::unique_ptr<AgentStarter> srun_starter(const std::string& program, std::map<std::string, int> gpus = {});
// By node, asked of Slurm (up to 10 s); empty when this job has equal numbers on all nodes, or Slurm does not say.
std::map<std::string, int> gpus_of_slurm_job();
// By calls to resident agents. `program`: path of dsagent here; `records`: file of the resident agent of each host.
std::unique_ptr<AgentStarter> resident_starter(const std::string& program, const std::vector<std::string>& records);

// A word for a POSIX shell.
std::string shell_quote(const std::string& word);

}  // namespace ds
