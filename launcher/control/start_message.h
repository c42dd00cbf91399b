// What each agent is told to start: StartGeneration messages from a plan. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/memory_binding.h"
#include "launcher/plan/launch_plan.h"

namespace ds {

struct StartRequest {
  std::string job;
  int generation = 1;
  bool training = false, merge_stderr = false, unfinished_lines = false;
  std::string wireup = "pmix", launcher_cwd, interface;
  std::vector<std::vector<std::string>> argv;           // of each program
  std::vector<std::vector<std::string>> program_env;    // -x of each program
  std::vector<std::string> program_wdir;                // "" = not given
  std::vector<std::string> env, mca;                    // for all ranks
  std::vector<std::pair<std::string, std::string>> files;  // name, content
  std::string stdin_target = "none";                    // a rank, all, none
  MemoryPolicy memory = MemoryPolicy::kAnywhere;
};

// Hosts with ranks, in the order of their first rank: nodes of the generation are indices into this. Values are indices
// into plan.hosts.
std::vector<int> nodes_of(const LaunchPlan& plan);

// The messages to all hosts of one generation. What is the same for all, by far the most, is made and serialised once.
class StartMessages {
 public:
  StartMessages(const LaunchPlan& plan, const StartRequest& request);  // borrowed

  std::string for_host(int host) const;  // an Envelope, serialised

 private:
  const LaunchPlan& plan_;
  const StartRequest& request_;
  std::vector<std::vector<int>> ranks_of_host_;
  std::vector<std::string> nccl_hints_;
  std::string shared_;
};

}  // namespace ds
