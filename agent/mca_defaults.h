// The Open MPI parameters a rank gets when its user said nothing about them. Naming the transports saves 100-200 ms of
// probing at start; every value here gives way to the user's. Pure.
#pragma once

#include <string>

#include "agent/environment.h"

namespace ds {

struct MpiSurroundings {
  bool several_hosts = false;
  bool fast_fabric = false;     // InfiniBand or RoCE: Open MPI knows better which transport to take
  bool oversubscribed = false;  // more ranks than cores here
  bool uses_gpus = false;
  std::string included_networks{}, excluded_networks{};  // networks.h: NetworkChoice; empty = no restriction
  std::string memory_folder{};    // for shared segments
};

// Adds OMPI_MCA_* to an environment that already holds what the user set.
void add_mca_defaults(Environment& environment, const MpiSurroundings& surroundings);

// Whether an inherited OMPI_MCA_* variable is a wish about communication, which ranks should get, and not a trace of an
// mpirun around us, which would confuse them.
bool is_user_parameter(const std::string& variable);

}  // namespace ds
