#include "tests/support/host_files.h"

#include <cstdio>

namespace ds::testing {

std::vector<HostAddress> host_addresses(int hosts, bool slurm, bool ipv6) {
  std::vector<HostAddress> all;
  const auto add = [&](const std::string& name, int number) {
    char mac[24];
    std::snprintf(mac, sizeof mac, "02:77:00:00:00:%02x", static_cast<unsigned>(number) & 0xffu);
    all.push_back({name, (ipv6 ? "fd77::" : "10.77.0.") + std::to_string(number), mac});
  };
  for (int i = 1; i <= hosts; ++i) add("node" + std::to_string(i), i);
  if (slurm) add("ctl", 253);
  return all;
}

std::string hosts_file(const std::vector<HostAddress>& hosts) {
  std::string text = "127.0.0.1 localhost\n::1 localhost\n";
  for (const auto& host : hosts) text += host.address + " " + host.name + "\n";
  return text;
}

std::string sshd_config(const std::string& state) {
  return "Port 22\nHostKey " + state + "/host_key\nAuthorizedKeysFile " + state +
         "/user_key.pub\n"
         "StrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nUseDNS no\n"
         "MaxStartups 200:30:400\nMaxSessions 200\nPidFile none\n";
}

// No ConnectTimeout: what is tested must bring its own.
std::string ssh_config(const std::string& state) {
  return "Host *\n  IdentityFile " + state + "/user_key\n  IdentitiesOnly yes\n  IdentityAgent none\n"
         "  GlobalKnownHostsFile " + state + "/known_hosts\n  UserKnownHostsFile /dev/null\n"
         "  StrictHostKeyChecking yes\n  BatchMode yes\n  LogLevel ERROR\n";
}

std::string known_hosts(const std::vector<HostAddress>& hosts, const std::string& public_host_key) {
  std::string names;
  for (const auto& host : hosts) names += (names.empty() ? "" : ",") + host.name + "," + host.address;
  return names + " " + public_host_key;
}

std::string slurm_conf(const std::vector<HostAddress>& hosts, const std::string& state, int cpus) {
  std::string text =
      "ClusterName=bed\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nCredType=cred/munge\n"
      "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n"
      "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nMpiDefault=none\nReturnToService=2\n"
      "SlurmdParameters=config_overrides\nSchedulerParameters=batch_sched_delay=0,sched_min_interval=0\n"
      "SlurmdSpoolDir=/run/slurm/spool\nSlurmdPidFile=/run/slurm/slurmd.pid\nSlurmctldPidFile=/run/slurm/ctld.pid\n"
      "SlurmdTimeout=30\nKillWait=5\nSwitchType=switch/none\nStateSaveLocation=" + state + "/slurmctld\n";
  std::string names;
  for (const auto& host : hosts) {
    if (host.name == "ctl") {
      text += "SlurmctldHost=ctl(" + host.address + ")\n";
      continue;
    }
    text += "NodeName=" + host.name + " NodeAddr=" + host.address + " CPUs=" + std::to_string(cpus) +
            " RealMemory=4000 State=UNKNOWN\n";
    names += (names.empty() ? "" : ",") + host.name;
  }
  return text + "PartitionName=all Nodes=" + names + " Default=YES MaxTime=INFINITE State=UP\n";
}

std::string cgroup_conf() {
  return "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/run/cgroup\nCgroupAutomount=no\nConstrainCores=no\n"
         "ConstrainRAMSpace=no\n";
}

std::string switch_batch(const std::vector<HostAddress>& hosts, const std::vector<int>& init_pids) {
  std::string text = "link set lo up\nlink add bridge0 type bridge forward_delay 0 stp_state 0\nlink set bridge0 up\n";
  for (size_t i = 0; i < hosts.size(); ++i) {
    const std::string port = "port-" + hosts[i].name;
    text += "link add " + port + " type veth peer name eth0 address " + hosts[i].mac + " netns " +
            std::to_string(init_pids[i]) + "\nlink set " + port + " master bridge0 up\n";
  }
  return text;
}

std::string host_batch(const std::vector<HostAddress>& hosts, size_t self) {
  const bool ipv6 = hosts[self].address.find(':') != std::string::npos;
  std::string text = "link set lo up\naddress add " + hosts[self].address + (ipv6 ? "/64 dev eth0 nodad" : "/24 dev eth0") +
                     "\nlink set eth0 up\n";
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (i == self) continue;
    text += "neighbour replace " + hosts[i].address + " lladdr " + hosts[i].mac + " dev eth0 nud permanent\n";
  }
  return text;
}

}  // namespace ds::testing
