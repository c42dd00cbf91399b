#include "tests/support/host_init.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/poll.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

void mount_or_die(const char* source, const std::string& target, const char* type, unsigned long flags,
                  const char* data = nullptr) {
  if (::mount(source, target.c_str(), type, flags, data) == 0) return;
  std::fprintf(stderr, "mount %s on %s: %s\n", source, target.c_str(), std::strerror(errno));
  ::_exit(1);
}

void bind(const std::string& source, const std::string& target) {
  mount_or_die(source.c_str(), target, nullptr, MS_BIND | MS_REC);
}

// "/tmp/a" of "/tmp/a/b/c"; "" for a path elsewhere.
std::string folder_in_tmp(const std::string& path) {
  if (path.rfind("/tmp/", 0) != 0) return "";
  return path.substr(0, path.find('/', 5));
}

// Real hosts do not share /tmp. What must be seen all the same is reached through descriptors opened before it is hidden.
void private_tmp(const HostSetup& setup) {
  std::set<std::string> keep{folder_in_tmp(setup.state_folder)};
  for (const auto& folder : setup.visible) keep.insert(folder_in_tmp(folder));
  keep.erase("");
  std::vector<std::pair<std::string, int>> kept;
  for (const auto& folder : keep) kept.emplace_back(folder, ::open(folder.c_str(), O_PATH | O_DIRECTORY));
  mount_or_die("tmpfs", "/tmp", "tmpfs", 0, "mode=1777");
  for (const auto& [folder, file] : kept) {
    fs::create_directory(folder);
    bind("/proc/self/fd/" + std::to_string(file), folder);
    ::close(file);
  }
}

void private_mounts(const HostSetup& setup) {
  mount_or_die("none", "/", nullptr, MS_REC | MS_PRIVATE);
  mount_or_die("proc", "/proc", "proc", 0);
  mount_or_die("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
  mount_or_die("tmpfs", "/run", "tmpfs", 0, "mode=755");
  mount_or_die("sysfs", "/sys", "sysfs", 0);
  private_tmp(setup);
  for (const char* folder : {"/run/sshd", "/run/munge", "/run/slurm", "/run/lock"}) fs::create_directory(folder);
  bind(setup.state_folder + "/hosts", "/etc/hosts");
  bind(setup.state_folder + "/ssh_config", "/etc/ssh/ssh_config");
}

// slurmd 22.05 wants version 1 control groups of its own choosing; they are mounted where slurm_files says.
void slurm_mounts(const HostSetup& setup) {
  for (const std::string controller : {"freezer", "cpuset", "memory"}) {
    const std::string folder = "/run/cgroup/" + controller;
    fs::create_directories(folder);
    if (::mount("cgroup", folder.c_str(), "cgroup", 0, controller.c_str()) != 0) {
      std::fprintf(stderr, "control group %s: %s\n", controller.c_str(), std::strerror(errno));
    }
  }
  bind(setup.state_folder + "/slurm", "/etc/slurm");
}

void start_service(const HostSetup& setup, const std::string& label, const std::vector<std::string>& argv) {
  if (::fork() != 0) return;
  const std::string log = setup.state_folder + "/" + setup.name + "." + label + ".log";
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(file, 1);
  ::dup2(file, 2);
  ::close(file);
  ::setsid();
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

void start_slurm(const HostSetup& setup) {
  start_service(setup, "munged", {"/usr/sbin/munged", "--foreground", "--force", "--key-file=/etc/slurm/munge.key",
                                  "--socket=/run/munge/munge.socket.2", "--pid-file=/run/munge/munged.pid",
                                  "--seed-file=/run/munge/seed", "--log-file=/run/munge/munged.log", "--num-threads=2"});
  wait_until([] { return fs::exists("/run/munge/munge.socket.2"); }, seconds(20));
  wait_until([&] { return fs::exists(setup.state_folder + "/network.ready"); }, seconds(60));
  if (setup.name == "ctl") start_service(setup, "slurmctld", {"/usr/sbin/slurmctld", "-D", "-c"});
  else start_service(setup, "slurmd", {"/usr/sbin/slurmd", "-D", "-N", setup.name});
}

[[noreturn]] void reap_for_ever() {
  for (;;) {
    if (::waitpid(-1, nullptr, 0) < 0) ::poll(nullptr, 0, 50);
  }
}

}  // namespace

void run_host_init(const HostSetup& setup) {
  ::prctl(PR_SET_NAME, "host-init");
  ::setsid();
  const std::string stem = setup.state_folder + "/" + setup.name;
  const int null = ::open("/dev/null", O_RDONLY), log = ::open((stem + ".log").c_str(), O_WRONLY | O_CREAT, 0644);
  ::dup2(null, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  for (int file = 3; file < 1024; ++file) ::close(file);
  ::sethostname(setup.name.data(), setup.name.size());
  private_mounts(setup);
  if (setup.slurm) slurm_mounts(setup);
  start_service(setup, "sshd", {"/usr/sbin/sshd", "-D", "-e", "-f", setup.state_folder + "/sshd_config"});
  std::ofstream(stem + ".ready") << "\n";
  if (setup.slurm) start_slurm(setup);
  reap_for_ever();
}

}  // namespace ds::testing
