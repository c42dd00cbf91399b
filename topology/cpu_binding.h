// Which CPUs each rank of one host is bound to: mpirun's mapping, ranking and binding within a host (Open MPI 4.1).
// Pure; binding itself is done by whoever starts the ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cpu_places.h"
#include "topology/host.h"

namespace ds {

enum class BindTo {
  kDefault,  // as mpirun: to what ranks are mapped by, else a core each up to 2 ranks of the job and a NUMA node each
             // beyond; with a cpu_list all of it; unbound when CPUs do not suffice
  kNone,
  kThread,
  kCore,
  kSocket,
  kNuma,
  kShare,  // training jobs: cores/ranks consecutive cores of one NUMA node each; when cores do not suffice, unbound or
           // with a cpu_list all of it
};

// "none", "hwthread", "core", "socket" (or "package"), "numa"; throws kUsage naming these.
BindTo bind_to_named(const std::string& name);

struct BindingOptions {
  BindTo bind_to = BindTo::kDefault;
  std::optional<Level> map_by{};   // ranks go round the places of this level (kHost: anywhere on the host); not given:
                                   // cores up to 2 ranks of the job, else NUMA nodes
  bool binds_as_mapped = true;     // map_by also says what a rank is bound to; not where the user gave modifiers alone
  bool must_share = false;         // --bind_cores_to_rank: kShare, refused when cores do not suffice
  int per_place = 0;               // ppr:n:object: n ranks on a place of map_by before the next one; 0 = round them
  std::optional<Level> rank_by{};  // ranks are numbered round the places of this level; not given: as mapped
  std::optional<int> cpus_per_rank{};  // PE=n: whole cores (hardware threads with threads_are_cpus) of the place
  bool may_share_cpus = false;     // with cpus_per_rank, when all of the place are given away: from its first again
  bool threads_are_cpus = false;   // --use-hwthread-cpus
  std::vector<int> cpu_list{};     // --cpu-list, --bind_core_list: only these, in this order; empty = all
};

// How many ranks ppr:n:object puts on a host: n for each place. Throws kUsage when the host's cores are not known.
int ranks_by_places(const Host& host, const BindingOptions& options);

// CPUs of each of `num_local` ranks in the order of their numbers, ascending within a rank; an empty list = not bound.
// `num_ranks` is the size of the job. A host whose cores are not known binds nothing. A place is refused to more ranks
// than it has CPUs. Throws kUsage naming the host when a place that was asked for is too small, or cpu_list names a CPU
// that the host does not have.
std::vector<std::vector<int>> bind_ranks(const Host& host, int num_local, int num_ranks, bool oversubscribed,
                                         const BindingOptions& options);

}  // namespace ds
