#include "tests/support/host_bed.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "tests/support/host_init.h"
#include "tests/support/poll.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::vector<std::string> kAllKinds = {"uts", "ipc", "net", "pid", "mnt"};
constexpr int kHostFlags = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNS;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::kInternal, "test bed: " + what); }

void write_file(const std::string& path, const std::string& text, fs::perms mode = fs::perms(0644)) {
  std::ofstream(path, std::ios::binary) << text;
  fs::permissions(path, mode);
}

std::string random_bytes(size_t count) {
  std::random_device random;
  std::string bytes;
  while (bytes.size() < count) bytes += static_cast<char>(random());
  return bytes;
}

void end_process(pid_t& pid) {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pid = -1;
}

// slurmd leaves its folders in the machine's control groups behind.
void remove_slurm_groups(const std::vector<std::string>& names) {
  std::error_code ignored;
  for (const std::string controller : {"freezer", "cpuset", "memory"}) {
    for (const auto& name : names) {
      const fs::path top = "/sys/fs/cgroup/" + controller + "/slurm_" + name;
      std::vector<fs::path> folders;
      if (!fs::exists(top, ignored)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(top, ignored)) {
        if (entry.is_directory(ignored)) folders.push_back(entry.path());
      }
      for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) ::rmdir(folder->c_str());
      ::rmdir(top.c_str());
    }
  }
}

}  // namespace

std::string HostBed::why_not(bool slurm) {
  std::vector<std::string> programs = {"/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"};
  if (slurm) for (const char* name : {"/usr/sbin/munged", "/usr/sbin/slurmd", "/usr/sbin/slurmctld", "/usr/bin/sbatch"}) programs.push_back(name);
  for (const auto& program : programs) {
    if (::access(program.c_str(), X_OK) != 0) return program + " is not installed (scripts/setup --tests)";
  }
  if (std::system("ip -V >/dev/null 2>&1") != 0) return "ip is not installed (package iproute2)";
  return why_no_namespaces();
}

HostBed::HostBed(const Options& options) : options_(options) {
  std::string pattern = (fs::temp_directory_path() / "ds-bed-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("no folder: " + pattern);
  state_ = pattern;
  folder_ = state_ + "/shared";
  fs::create_directories(folder_);
  fs::create_directories(state_ + "/output");
  for (const auto& address : host_addresses(options.hosts, options.slurm, options.ipv6)) hosts_.push_back({address, -1});
  try {
    write_files();
    start_hosts();
    join_network();
    wait_until_reachable();
    if (options.slurm) wait_until_slurm_is_idle();
  } catch (...) {
    end();
    throw;
  }
}

HostBed::~HostBed() { end(); }

void HostBed::end() {
  for (auto& host : hosts_) end_process(host.init);
  end_process(switch_);
  if (options_.slurm) remove_slurm_groups(names());
  std::error_code ignored;
  fs::remove_all(state_, ignored);
}

void HostBed::write_files() {
  std::vector<HostAddress> addresses;
  for (const auto& host : hosts_) addresses.push_back(host.address);
  for (const std::string key : {"host_key", "user_key"}) {
    if (std::system(("ssh-keygen -q -t ed25519 -N '' -f " + state_ + "/" + key).c_str()) != 0) fail("ssh-keygen failed");
  }
  write_file(state_ + "/hosts", hosts_file(addresses));
  write_file(state_ + "/sshd_config", sshd_config(state_));
  write_file(state_ + "/ssh_config", ssh_config(state_));
  write_file(state_ + "/known_hosts", known_hosts(addresses, read_file(state_ + "/host_key.pub")));
  if (!options_.slurm) return;
  fs::create_directories(state_ + "/slurm");
  fs::create_directories(state_ + "/slurmctld");
  write_file(state_ + "/slurm/slurm.conf", slurm_conf(addresses, state_, options_.slurm_cpus));
  write_file(state_ + "/slurm/cgroup.conf", cgroup_conf());
  write_file(state_ + "/slurm/munge.key", random_bytes(128), fs::perms(0600));
}

void HostBed::start_hosts() {
  switch_ = start_in_new_namespaces(CLONE_NEWNET, [] {
    for (;;) ::pause();
  });
  for (auto& host : hosts_) {
    const HostSetup setup{host.address.name, state_, options_.visible, options_.slurm};
    host.init = start_in_new_namespaces(kHostFlags, [&setup] { run_host_init(setup); });
  }
  for (const auto& host : hosts_) {
    const std::string stem = state_ + "/" + host.address.name;
    if (!wait_until([&] { return fs::exists(stem + ".ready"); }, seconds(30))) {
      fail("host=" + host.address.name + " did not come up in 30 s: " + read_file(stem + ".log"));
    }
  }
}

void HostBed::in_switch(const std::vector<std::string>& argv) {
  HostCommand command(switch_, {"net"}, argv, {}, next_output());
  if (command.wait(seconds(20)) != 0) fail("switch: " + join(argv, " ") + ": " + command.err());
}

void HostBed::join_network() {
  std::vector<HostAddress> addresses;
  std::vector<int> inits;
  for (const auto& host : hosts_) {
    addresses.push_back(host.address);
    inits.push_back(host.init);
  }
  write_file(state_ + "/switch.batch", switch_batch(addresses, inits));
  in_switch({"ip", "-batch", state_ + "/switch.batch"});
  for (size_t i = 0; i < hosts_.size(); ++i) {
    const std::string batch = state_ + "/" + addresses[i].name + ".batch";
    write_file(batch, host_batch(addresses, i));
    const auto result = run(addresses[i].name, {"ip", "-batch", batch}, seconds(20));
    if (result.code != 0) fail("network of host=" + addresses[i].name + ": " + result.err);
  }
  write_file(state_ + "/network.ready", "");
}

void HostBed::wait_until_reachable() {
  for (const auto& name : names()) {
    const bool answered = wait_until(
        [&] { return run("node1", {"ssh", "-o", "ConnectTimeout=2", name, "true"}, seconds(60)).code == 0; }, seconds(60));
    if (!answered) fail("host=" + name + " did not answer ssh in 60 s");
  }
}

void HostBed::wait_until_slurm_is_idle() {
  std::string seen;
  const bool idle = wait_until(
      [&] {
        const auto result = run("node1", {"sinfo", "-h", "-N", "-o", "%T"}, seconds(20));
        seen = result.out + result.err;
        const auto states = split(trim(result.out), '\n');
        return states.size() == names().size() && std::count(states.begin(), states.end(), "idle") == options_.hosts;
      },
      seconds(60));
  if (!idle) fail("Slurm's hosts are not idle after 60 s: " + seen);
}

std::vector<std::string> HostBed::names() const {
  std::vector<std::string> names;
  for (const auto& host : hosts_) {
    if (host.address.name != "ctl") names.push_back(host.address.name);
  }
  return names;
}

const HostBed::Host& HostBed::host_named(const std::string& name) const {
  for (const auto& host : hosts_) {
    if (host.address.name == name) return host;
  }
  fail("no such host=" + name);
}

std::string HostBed::next_output() { return state_ + "/output/" + std::to_string(++commands_); }

HostCommand HostBed::start(const std::string& host, const std::vector<std::string>& argv, const CommandOptions& options) {
  CommandOptions full = options;
  full.environment.emplace("XDG_STATE_HOME", state_ + "/home-" + host);
  return HostCommand(host_named(host).init, kAllKinds, argv, full, next_output());
}

HostBed::Result HostBed::run(const std::string& host, const std::vector<std::string>& argv, milliseconds deadline,
                             const CommandOptions& options) {
  HostCommand command = start(host, argv, options);
  const auto code = command.wait(deadline);
  if (!code) {
    throw Error(ErrorCode::kDeadline, "test bed: " + join(argv, " ") + ": host=" + host + ": still running after " +
                                          std::to_string(deadline.count()) + " ms: " + command.out() + command.err());
  }
  return {*code, command.out(), command.err()};
}

void HostBed::cut(const std::string& host) { in_switch({"bridge", "link", "set", "dev", "port-" + host, "state", "0"}); }
void HostBed::heal(const std::string& host) { in_switch({"bridge", "link", "set", "dev", "port-" + host, "state", "3"}); }

void HostBed::kill_host(const std::string& host) { end_process(const_cast<Host&>(host_named(host)).init); }

std::vector<ProcessSeen> HostBed::processes(const std::string& host) const {
  static const std::set<std::string> services = {"sshd", "munged", "slurmd", "slurmctld", "slurmstepd", "slurmscriptd"};
  auto all = processes_in_namespace_of(host_named(host).init);
  std::erase_if(all, [](const ProcessSeen& seen) { return services.count(seen.name) != 0; });
  return all;
}

std::vector<std::string> HostBed::files(const std::string& host, const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code ignored;
  const std::string root = "/proc/" + std::to_string(host_named(host).init) + "/root";
  for (const auto& entry : fs::directory_iterator(root + folder, ignored)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> HostBed::shared_memory(const std::string& host) const { return files(host, "/dev/shm"); }

std::string HostBed::leftovers(milliseconds deadline) const {
  std::string left;
  wait_until(
      [&] {
        left.clear();
        for (const auto& name : names()) {
          for (const auto& seen : processes(name)) left += name + ": " + std::to_string(seen.pid) + " " + seen.command + "\n";
          for (const auto& file : shared_memory(name)) left += name + ": /dev/shm/" + file + "\n";
        }
        return left.empty();
      },
      deadline);
  return left;
}

void HostBed::kill_process(const std::string& host, const std::string& name) {
  for (const auto& seen : processes(host)) {
    if (seen.name == name && ::kill(seen.pid, SIGKILL) == 0) return;
  }
  fail("nothing to kill: host=" + host + " program=" + name);
}

}  // namespace ds::testing
