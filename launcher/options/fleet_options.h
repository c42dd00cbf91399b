// How the agents of a job are reached, and how long their silence is borne.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/reach/start_schedule.h"
#include "topology/host.h"

namespace ds {

struct FleetOptions {
  std::string job, key;
  std::vector<Host> hosts;
  std::vector<bool> local;          // which hosts are this machine
  bool slurm = false;               // reach the others by srun, else by ssh
  std::string ssh = "ssh", agent_here, agent_there;  // agent_*: paths of dsagent
  std::vector<std::string> residents;                // record of the resident agent of each host; "" = none
  std::vector<std::string> addresses;                // to publish to other hosts
  std::optional<std::pair<int, int>> ports;
  bool outlives_launcher = false;                    // agents wait for another launcher until their lease ends
  bool follows = false;                              // such agents of an earlier launcher may be on the hosts
  std::optional<int> own_port;                       // where they look for us
  StartLimits start;  // how agents are started, and how long each may take
  std::chrono::milliseconds beat{1000}, sweep_limit{3000};
  // An agent is lost when nothing came from it for `silence_limit`; when it took nothing in for `agent_lease`, though
  // it sends (it kills itself then, unless it is broken); or when more than this waits to be sent to it.
  std::chrono::milliseconds silence_limit{6000}, agent_lease{20000};
  size_t queue_limit = 256u << 20;
};

}  // namespace ds
