// The texts that hosts of the test bed are configured with; pure.
#pragma once

#include <string>
#include <vector>

namespace ds::testing {

struct HostAddress {
  std::string name, address, mac;
};

// node1 … nodeN at 10.77.0.1 … (with `ipv6` fd77::1 …), and with Slurm the host ctl at 10.77.0.253.
std::vector<HostAddress> host_addresses(int hosts, bool slurm, bool ipv6 = false);

std::string hosts_file(const std::vector<HostAddress>& hosts);
std::string sshd_config(const std::string& state_folder);
std::string ssh_config(const std::string& state_folder);
std::string known_hosts(const std::vector<HostAddress>& hosts, const std::string& public_host_key);
std::string slurm_conf(const std::vector<HostAddress>& hosts, const std::string& state_folder, int cpus);
std::string cgroup_conf();

// Lines for `ip -batch`: a bridge with one port per host (in the switch), the host's own end. Every host knows the
// hardware address of every other for good: with address resolution a cut host would be "no route" after 3 s, which a
// real network beyond one cable does not say.
std::string switch_batch(const std::vector<HostAddress>& hosts, const std::vector<int>& init_pids);
std::string host_batch(const std::vector<HostAddress>& hosts, size_t self);

}  // namespace ds::testing
