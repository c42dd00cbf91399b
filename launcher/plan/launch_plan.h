// The plan of a job: hosts, which rank goes where, groups of a training mesh. A pure value that can be printed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/host.h"
#include "topology/axis_placement.h"
#include "topology/placement.h"
#include "topology/process_mesh.h"

namespace ds {

struct Options;
struct Rankfile;

struct PlannedGroups {
  std::string axis;  // "data", "tensor", ...
  std::vector<std::vector<int>> ranks;
};

// How the ranks of a mesh were placed, and what that costs; only when more than one axis has several members.
struct MeshReport {
  std::string how;                 // "by slot", "as asked: --map-by node", ...
  PlacementScore score, by_slot;
  std::vector<std::string> reasons;  // sentences
};

// What the next generations of an elastic job may look like.
struct ElasticReport {
  struct World {
    int ranks = 0;
    int64_t micro_batch = 0, accumulation = 0;  // 0: no training
  };
  std::vector<World> worlds;  // the largest first
  int max_restarts = 0;       // within an hour
};

struct LaunchPlan {
  std::vector<Host> hosts;
  std::string source;
  int world_size = 0;             // 0 and not `placed`: not known before the hosts are asked
  bool placed = false;
  std::vector<RankPlace> ranks;   // by rank; empty unless placed
  std::vector<int> program_of;    // by rank: which program of "a : b"
  std::vector<int> slots_used;    // ranks per host
  std::vector<PlannedGroups> groups;
  std::optional<MeshReport> mesh;
  std::optional<ElasticReport> elastic;

  // More ranks on this host than it has slots or cores.
  bool oversubscribed(size_t host) const;
};

// How many ranks the options ask for; nullopt = as many as there are slots.
std::optional<int> ranks_wanted(const Options& options);

// What the options say about placement. `local`: which hosts are this machine.
PlacementOptions placement_options(const Options& options, const std::vector<bool>& local);

// Places ranks on `cluster` if its slots are known or a rankfile says where they go, else leaves `placed` false.
// `local`: which hosts are this machine. `rankfile` may be null. Throws kUsage: not enough slots, bindings that do not
// fit, a rankfile with too few ranks; of one with more the first count.
LaunchPlan plan_launch(const Options& options, const Cluster& cluster, const std::string& source,
                       const std::vector<bool>& local, const Rankfile* rankfile);

// Groups of all axes that have more than one member, and always of the data axis.
std::vector<PlannedGroups> groups_of(const ProcessMesh& mesh);

// --dry-run: as text and as the JSON object of the interface. --display-map, --display-allocation.
std::string plan_text(const LaunchPlan& plan);
std::string plan_json(const LaunchPlan& plan);
std::string map_text(const LaunchPlan& plan);
std::string allocation_text(const LaunchPlan& plan);
std::string bindings_text(const LaunchPlan& plan);

}  // namespace ds
