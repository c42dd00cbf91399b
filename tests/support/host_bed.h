// Several hosts on one machine: each has its own network, name, mounts, /tmp, /dev/shm and processes, and sshd; with
// Slurm also munged and slurmd, and a further host `ctl` runs slurmctld. The rest of the file system is shared.
//
// Nothing of this machine's network is touched: the switch that joins the hosts lives in a namespace too. All of it
// ends with the process that made it, however that ends: the hosts' first processes die with it, and a namespace dies
// with its first process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/host_command.h"
#include "tests/support/host_files.h"
#include "tests/support/namespaces.h"

namespace ds::testing {

class HostBed {
 public:
  struct Options {
    int hosts = 3;
    bool slurm = false;
    bool ipv6 = false;                 // the hosts have IPv6 addresses only, loopback aside
    int slurm_cpus = 2;                // per host, as Slurm is told
    std::vector<std::string> visible = {};  // folders that must be seen on all hosts even when they lie in /tmp
  };

  // "" when a bed can be made here; else what is missing (root, namespaces, a program).
  static std::string why_not(bool slurm);

  // Returns when every host answers ssh, and Slurm calls all of them idle. Throws ds::Error naming what did not come.
  explicit HostBed(const Options& options);
  ~HostBed();

  std::vector<std::string> names() const;  // node1 …, without ctl
  const std::string& folder() const { return folder_; }  // on every host, empty at first: for jobs of the test

  // Starts a program on a host; the object ends it. run() waits and throws ds::Error kDeadline when it takes too long.
  HostCommand start(const std::string& host, const std::vector<std::string>& argv, const CommandOptions& options = {});
  struct Result {
    int code;
    std::string out, err;
  };
  Result run(const std::string& host, const std::vector<std::string>& argv,
             std::chrono::milliseconds deadline = std::chrono::seconds(60), const CommandOptions& options = {});

  // The link of a host goes silent both ways, carrier and all processes stay; and comes back.
  void cut(const std::string& host);
  void heal(const std::string& host);
  // All processes of the host die at once, and with them its network: as a host that loses power.
  void kill_host(const std::string& host);

  // What runs on a host, its services (sshd and its sessions, munged, Slurm's daemons) aside, and what lies in /dev/shm.
  std::vector<ProcessSeen> processes(const std::string& host) const;
  std::vector<std::string> shared_memory(const std::string& host) const;
  std::vector<std::string> files(const std::string& host, const std::string& folder) const;
  // "" as soon as no host runs anything or has shared memory; at the deadline a text that lists what is left.
  std::string leftovers(std::chrono::milliseconds deadline) const;
  // Kills (signal 9) one process of that name on the host; throws when there is none.
  void kill_process(const std::string& host, const std::string& name);

 private:
  struct Host {
    HostAddress address;
    pid_t init = -1;
  };
  const Host& host_named(const std::string& name) const;
  void write_files();
  void start_hosts();
  void join_network();
  void in_switch(const std::vector<std::string>& argv);
  void wait_until_reachable();
  void wait_until_slurm_is_idle();
  std::string next_output();
  void end();

  Options options_;
  std::string state_, folder_;
  std::vector<Host> hosts_;
  pid_t switch_ = -1;
  int commands_ = 0;
};

}  // namespace ds::testing
