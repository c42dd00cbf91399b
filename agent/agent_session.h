// The agent of one host: talks to the launcher, hands generations to rank servers, and sees that nothing of the job
// outlives it. architecture: one io_context, one thread.
#pragma once

#include <memory>

namespace ds {

namespace control {
class Bootstrap;
}

// Runs until the launcher ends it (0), refuses it (2), or contact with it is lost (1); on return nothing of the job is
// left on this host. `program`: path of the dsagent executable, for the rank servers.
int run_agent(const control::Bootstrap& bootstrap, const std::string& program);

}  // namespace ds
