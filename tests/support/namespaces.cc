#include "tests/support/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

// As fork, but the child is in new namespaces. glibc's clone wants a stack of its own; the plain call does not.
pid_t fork_with(int flags) {
  return static_cast<pid_t>(::syscall(SYS_clone, static_cast<unsigned long>(flags | SIGCHLD), nullptr, nullptr, nullptr, nullptr));
}

std::string link_target(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string why_no_namespaces() {
  if (::geteuid() != 0) return "hosts in namespaces need root";
  const pid_t child = fork_with(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID);
  if (child == 0) ::_exit(0);
  if (child < 0) return std::string("hosts in namespaces: this kernel or container refuses them: ") + std::strerror(errno);
  ::waitpid(child, nullptr, 0);
  return "";
}

pid_t start_in_new_namespaces(int flags, const std::function<void()>& body) {
  const pid_t child = fork_with(flags);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    ::_exit(0);
  }
  if (child < 0) throw Error(ErrorCode::kInternal, std::string("test bed: clone: ") + std::strerror(errno));
  return child;
}

bool enter_namespaces(pid_t of, const std::vector<std::string>& kinds) {
  // All are opened first: after entering "mnt" the /proc seen is another one.
  std::vector<int> files;
  for (const auto& kind : kinds) {
    files.push_back(::open(("/proc/" + std::to_string(of) + "/ns/" + kind).c_str(), O_RDONLY | O_CLOEXEC));
  }
  bool entered = true;
  for (const int file : files) entered = entered && file >= 0 && ::setns(file, 0) == 0;
  for (const int file : files) ::close(file);
  return entered;
}

std::vector<ProcessSeen> processes_in_namespace_of(pid_t init) {
  std::vector<ProcessSeen> found;
  const std::string wanted = link_target("/proc/" + std::to_string(init) + "/ns/pid");
  if (wanted.empty()) return found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto pid = parse_int(entry.path().filename().string());
    if (!pid || *pid == init || link_target(entry.path() / "ns" / "pid") != wanted) continue;
    ProcessSeen seen{static_cast<pid_t>(*pid), slurp(entry.path() / "comm"), slurp(entry.path() / "cmdline")};
    if (!seen.name.empty() && seen.name.back() == '\n') seen.name.pop_back();
    std::replace(seen.command.begin(), seen.command.end(), '\0', ' ');
    if (seen.command.empty()) seen.command = "[" + seen.name + "]";
    if (!seen.name.empty()) found.push_back(seen);
  }
  return found;
}

}  // namespace ds::testing
