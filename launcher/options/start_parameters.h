// Parameters (--mca) about how mpirun brings its daemons onto the hosts that mean the same for our agents.
#pragma once

#include <string>

#include "launcher/reach/start_schedule.h"

namespace ds {

struct StartParameters {
  std::string ssh{};  // plm_rsh_agent; "" = not given
  StartLimits limits{};
};

// Takes plm_rsh_agent, plm_rsh_num_concurrent, plm_rsh_no_tree_spawn, routed_radix and their names in Open MPI 5
// (plm_ssh_...). False: another parameter. Throws kUsage when the value is not allowed.
bool take_start_parameter(const std::string& key, const std::string& value, StartParameters& parameters);

}  // namespace ds
