// The rank server: a child of the agent that serves one generation and ends with it. It forks the ranks, so that they
// die with it, and holds libpmix, so that the agent does not.
#pragma once

#include <cstdint>
#include <string>

#include "agent/free_port.h"

namespace ds {

struct RankServerOptions {
  std::string program;  // path of dsagent
  int channel_fd = -1;  // socketpair to the agent
  std::string job;
  uint32_t host_index = 0;
  PortRange ports = {};  // of what it listens on
};

// Returns the exit code. When the agent's end closes: kills everything of the job on this host, removes its files.
int run_rank_server(const RankServerOptions& options);

}  // namespace ds
