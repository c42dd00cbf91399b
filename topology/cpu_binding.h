// Which CPUs each rank of one host is bound to. Pure; binding itself is done by whoever starts the ranks.
#pragma once

#include <string>
#include <vector>

#include "topology/host.h"

namespace ds {

enum class BindTo {
  kDefault,  // as mpirun: to what ranks are mapped by, else a core each up to 2 ranks of the job and a socket each
             // beyond; with a cpu_list all of it; unbound when cores do not suffice
  kNone,
  kCore,
  kSocket,
  kNuma,
  kShare,    // training jobs: cores/ranks consecutive cores of one NUMA node each; unbound when cores do not suffice
};

// "none", "core", "socket" (or "package"), "numa"; throws kUsage naming these.
BindTo bind_to_named(const std::string& name);

// How successive ranks of a host go over its hardware before they are bound.
enum class CoreOrder { kDefault, kCores, kSockets, kNumas };  // kDefault: cores up to 2 ranks of the job, else sockets

struct BindingOptions {
  BindTo bind_to = BindTo::kDefault;
  CoreOrder order = CoreOrder::kDefault;
  std::vector<int> cpu_list{};  // --cpu-list, --bind_core_list: only these, in this order; empty = all cores
};

// CPUs of each of `num_local` ranks, ascending within a rank; an empty list = not bound. `num_ranks` is the size of the
// job. A host whose cores are not known binds nothing. Throws kUsage naming the host when a place that was asked for is
// too small (kCore, kSocket, kNuma with fewer cores than ranks) or cpu_list names a CPU the host does not have.
std::vector<std::vector<int>> bind_ranks(const Host& host, int num_local, int num_ranks, bool oversubscribed,
                                         const BindingOptions& options);

}  // namespace ds
