// PID 1 of a host of the test bed: private mounts and name, its services, and reaping of orphans.
#pragma once

#include <string>
#include <vector>

namespace ds::testing {

struct HostSetup {
  std::string name;
  std::string state_folder;           // of the bed: seen by all hosts, as on a network file system
  std::vector<std::string> visible;   // folders that stay visible although /tmp is the host's own
  bool slurm = false;                 // munged, and slurmd, or slurmctld on the host "ctl"
};

// Never returns: exits with 1 and a line in STATE/NAME.log when a mount fails. Writes STATE/NAME.ready when the mounts
// stand; Slurm's daemons start when STATE/network.ready exists.
[[noreturn]] void run_host_init(const HostSetup& setup);

}  // namespace ds::testing
