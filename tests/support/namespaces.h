// Linux namespaces as the test bed uses them: processes that own them, entering them, what lives in them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace ds::testing {

// "" when this process may make network, mount, UTS, IPC and PID namespaces; else the reason.
std::string why_no_namespaces();

// Runs `body` as a child in new namespaces (CLONE_NEW… flags); killed when the calling thread ends, whatever ends it.
// With CLONE_NEWPID the child is the PID 1 of its namespace: its death is the death of all in it. Returns its pid as
// seen from here. Throws ds::Error when the kernel refuses.
pid_t start_in_new_namespaces(int flags, const std::function<void()>& body);

// Moves the calling process into the namespaces ("net", "mnt", "pid", …) of a process. "pid" counts for its children.
// False with errno when the kernel refuses. Async-signal-safe apart from the strings.
bool enter_namespaces(pid_t of, const std::vector<std::string>& kinds);

struct ProcessSeen {
  pid_t pid = 0;        // from outside
  std::string name;     // as in /proc/PID/comm
  std::string command;  // arguments joined by blanks, or the name in brackets
};

// All processes of the PID namespace that `init` is PID 1 of, itself aside.
std::vector<ProcessSeen> processes_in_namespace_of(pid_t init);

}  // namespace ds::testing
