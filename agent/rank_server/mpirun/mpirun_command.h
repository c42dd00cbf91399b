// The command line of the mpirun that wires up a generation, and what its daemons' environment means for ranks. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/environment.h"
#include "agent/networks.h"

namespace ds {

namespace control {
class StartGeneration;
}

inline constexpr const char* kMpirunSocket = "DSLAUNCH_MPIRUN_SOCKET";  // where its helpers find their rank server

// What mpirun calls a host: its name, or one made of its number where mpirun would refuse or change that.
std::string mpirun_name(const control::StartGeneration& start, int node);

// One host name a line, in the order of the ranks: the sequential mapper of mpirun puts rank i on the host of line i.
std::string sequential_hostfile(const control::StartGeneration& start);

// `dsagent`: its path, the same on all hosts, standing for the ranks and for the login to other hosts.
std::vector<std::string> mpirun_argv(const std::string& mpirun, const control::StartGeneration& start,
                                     const std::string& hostfile, const std::string& dsagent);

std::string mpirun_socket(const std::string& run_folder);

inline constexpr size_t kPortsOfDaemon = 3;  // IPv4, IPv6, its PMIx server

// Where mpirun or one of its daemons listens. A daemon takes every port of a range that it is given, so each gets its own.
struct DaemonNetwork {
  std::vector<int> ports{};  // kPortsOfDaemon, or none: as it chooses
  NetworkChoice networks{};
};

// The environment of mpirun and of its daemons: ours, without what another launcher left there. Their sessions are in
// the run folder: it is short enough for the names of sockets, and goes when the job ends.
Environment mpirun_environment(Environment inherited, const std::string& run_folder, const std::string& dsagent,
                               const DaemonNetwork& network = {});

// What a rank needs of what mpirun gave to its stand-in. Parameters that the rank has already stay.
void take_wiring(Environment& rank, const Environment& stand_in);

}  // namespace ds
