// Where mpirun puts and binds ranks on machines that are not here, told by mpirun itself (hwloc is given a made-up machine
// and nothing is started), and where our plan does.
#pragma once

#include <string>
#include <vector>

namespace ds::testing {

struct MadeUpHosts {
  std::string machine;     // hwloc's synthetic description; all hosts are such
  std::vector<int> slots;  // by host; several are h0, h1, ...
};

// A line for each rank, in order of their numbers: "0 [BB/..]" on one host, "0 h2" on several; or "refused".
std::string mpirun_says(const MadeUpHosts& hosts, const std::vector<std::string>& options);
std::string dslaunch_says(const MadeUpHosts& hosts, const std::vector<std::string>& options);

}  // namespace ds::testing
