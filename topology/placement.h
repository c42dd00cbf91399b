// Which rank runs on which host, and there on which CPUs and GPUs. Pure: the same values give the same plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cpu_binding.h"
#include "topology/host.h"

namespace ds {

enum class MapBy { kSlot, kNode };             // fill a host before the next one | one rank per host in turn
enum class RankBy { kDefault, kSlot, kNode };  // numbering over hosts; kDefault = as mapped

struct PlacementOptions {
  std::optional<int> num_ranks{};    // -np; not given = every slot (per_node on every host)
  MapBy map_by = MapBy::kSlot;
  RankBy rank_by = RankBy::kDefault;
  std::vector<int> ranks_of_program{};  // of each of "a : b" when they have hosts of their own (Host::program_slots)
  int per_node = 0;                  // -N, ppr:n:node; 0 = not given
  bool oversubscribe = false;        // more ranks than slots are allowed (max_slots still holds)
  std::vector<int> ranks_of_host{};  // how many ranks each host gets, within its slots; empty = as the rest says
  std::optional<size_t> without{};   // --nolocal: index of the host that gets no ranks
  BindingOptions binding{};
  bool gpu_per_rank = false;         // training jobs: a rank uses the GPU of its slot, so at most one rank per GPU
};

struct RankPlace {
  int rank = 0;
  size_t host = 0;                  // index into the cluster
  int local_rank = 0;
  int slot = 0;                     // slot number of the host (a filter may leave gaps)
  std::vector<int> cpus{};          // empty = not bound
  std::vector<std::string> gpus{};  // empty = not restricted

  bool operator==(const RankPlace&) const = default;
};

// The value of --map-by, taken into `options`: "slot", "node", "socket", "numa", "core", "hwthread", "ppr:N:object" or
// nothing, with modifiers behind: ":PE=n", ":OVERSUBSCRIBE", ":NOOVERSUBSCRIBE", more than one as ":PE=n,OVERSUBSCRIBE".
// Throws kUsage naming what is known.
void take_map_by(const std::string& text, PlacementOptions& options);

// The value of --rank-by: "slot", "node", "socket", "numa", "core", "hwthread".
void take_rank_by(const std::string& text, PlacementOptions& options);

// Gives hosts without slots the number the host itself has: its GPUs for a training job (bounds given slots too),
// else its cores (hardware threads with `threads_are_cpus`). Hosts whose hardware is not known stay as they are.
void fill_slots(Cluster& cluster, bool training, bool threads_are_cpus = false);

// True when every host's slots are known.
bool slots_known(const Cluster& cluster);

// True when the hosts' cores are known as far as the number of ranks depends on them (ppr:n:object).
bool places_known(const Cluster& cluster, const PlacementOptions& options);

// Places of all ranks, by rank. Throws kUsage: slots of a host not known, not enough slots ("asked 8, have 6 (h1: 3,
// h2: 3)"), per_node that does not fit, and what bind_ranks refuses. Zero ranks give an empty plan.
std::vector<RankPlace> place_ranks(const Cluster& cluster, const PlacementOptions& options);

// Ranks of each host.
std::vector<int> local_sizes(const Cluster& cluster, const std::vector<RankPlace>& places);

}  // namespace ds
