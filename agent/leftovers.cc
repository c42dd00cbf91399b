#include "agent/leftovers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

namespace ds {

static bool carries(const JobMarker& marker, pid_t pid) {
  const std::string environment = start_environment(pid);
  const bool of_job = holds(environment, std::string(kVariableJob) + "=" + marker.job) ||
                      (marker.with_servers && holds(environment, std::string(kServerVariable) + "=" + marker.job));
  return of_job && (!marker.host_index ||
                    holds(environment, std::string(kHostVariable) + "=" + std::to_string(*marker.host_index)));
}

std::vector<ProcessInfo> find_leftovers(const JobMarker& marker, const std::set<pid_t>& spared) {
  const auto all = all_processes();
  std::set<pid_t> below_us;
  if (marker.with_descendants)
    for (const auto& process : descendants(all, getpid())) below_us.insert(process.pid);
  for (const pid_t other : marker.apart) {
    below_us.erase(other);
    for (const auto& process : descendants(all, other)) below_us.erase(process.pid);
  }
  std::vector<ProcessInfo> result;
  for (const auto& process : all) {
    if (process.state == 'Z' || process.pid == getpid() || spared.count(process.pid)) continue;
    if (below_us.count(process.pid) || carries(marker, process.pid)) result.push_back(process);
  }
  return result;
}

bool reap_orphans(const std::set<pid_t>& known) {
  siginfo_t child{};
  int failed;
  while ((failed = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT)) == 0 && child.si_pid > 0) {
    if (known.count(child.si_pid)) return false;  // its owner reaps it first; the others come with the next call
    waitpid(child.si_pid, nullptr, WNOHANG);
    child.si_pid = 0;
  }
  return failed && errno == ECHILD;
}

static std::string describe_left(const std::vector<ProcessInfo>& left) {
  std::string text;
  for (const auto& process : left)
    text += (text.empty() ? "" : ", ") + std::string("pid ") + std::to_string(process.pid) + " (" + process.name +
            ") in state " + process.state;
  return text;
}

std::string kill_leftovers(const JobMarker& marker, const std::set<pid_t>& spared, const std::set<pid_t>& known,
                           std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (int clean_looks = 0; clean_looks < 2;) {  // what forks and ends meanwhile is missed by one
    const auto left = find_leftovers(marker, spared);
    clean_looks = left.empty() ? clean_looks + 1 : 0;
    if (!left.empty() && std::chrono::steady_clock::now() >= deadline) return describe_left(left);
    for (const auto& process : left) signal_exactly(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (marker.with_descendants) reap_orphans(known);
  }
  if (marker.with_descendants) reap_orphans(known);
  return "";
}

}  // namespace ds
