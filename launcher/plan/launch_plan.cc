#include "launcher/plan/launch_plan.h"

#include "hostfiles/rankfile.h"
#include "launcher/plan/mesh_plan.h"
#include "launcher/options/options.h"
#include "topology/base/error.h"
#include "topology/base/text.h"
#include "topology/cpu_list.h"

namespace ds {
namespace {

BindTo binding_of(const Options& options) {
  if (!options.bind_to.empty()) return bind_to_named(options.bind_to);
  return options.training() || options.share_cores ? BindTo::kShare : BindTo::kDefault;
}

// The first `wanted` ranks of the file; all without `wanted`.
std::vector<RankPlace> place_by_file(const Cluster& cluster, Rankfile rankfile, std::optional<int> wanted) {
  const size_t placed = rankfile.entries.size(), ranks = wanted ? static_cast<size_t>(*wanted) : placed;
  if (ranks > placed)
    throw Error(ErrorCode::kUsage, "option -np=" + std::to_string(ranks) + ": must be 0 to " + std::to_string(placed) +
                                       ", the ranks that rankfile " + rankfile.file + " places");
  rankfile.entries.resize(ranks);
  return place_ranks(cluster, rankfile);
}

std::vector<int> programs_of_ranks(const Options& options, size_t num_ranks) {
  std::vector<int> result;
  for (size_t program = 0; program < options.programs.size(); ++program)
    result.insert(result.end(), options.programs[program].np.value_or(0), static_cast<int>(program));
  result.resize(num_ranks, options.programs.empty() ? 0 : static_cast<int>(options.programs.size()) - 1);
  return result;
}

}  // namespace

PlacementOptions placement_options(const Options& options, const std::vector<bool>& local) {
  PlacementOptions placement;
  placement.num_ranks = ranks_wanted(options);
  if (options.programs_have_hosts())
    for (const ProgramOptions& program : options.programs) placement.ranks_of_program.push_back(program.np.value_or(0));
  placement.binding.threads_are_cpus = options.threads_are_cpus;
  if (options.cpus_per_rank) placement.binding.cpus_per_rank = *options.cpus_per_rank;
  if (!options.map_by.empty()) take_map_by(options.map_by, placement);
  if (options.npernode) {
    placement.per_node = *options.npernode;
    if (!placement.binding.map_by) placement.binding.map_by = Level::kHost;  // as ppr:n:node
  }
  if (!options.rank_by.empty()) take_rank_by(options.rank_by, placement);
  placement.oversubscribe |= options.oversubscribe;
  placement.gpu_per_rank = options.training();
  placement.binding.bind_to = binding_of(options);
  placement.binding.must_share = options.share_cores;
  if (!options.cpu_list.empty()) placement.binding.cpu_list = parse_cpu_list(options.cpu_list);
  for (size_t host = 0; options.nolocal && host < local.size(); ++host)
    if (local[host]) placement.without = host;
  return placement;
}

std::optional<int> ranks_wanted(const Options& options) {
  if (options.programs.size() < 2) return options.mesh.empty() ? options.np : mesh_of(options)->world_size();
  int total = 0;
  for (const ProgramOptions& program : options.programs) total += program.np.value_or(0);
  return total;
}

LaunchPlan plan_launch(const Options& options, const Cluster& cluster, const std::string& source,
                       const std::vector<bool>& local, const Rankfile* rankfile) {
  LaunchPlan plan;
  plan.hosts = cluster.hosts;
  plan.source = source;
  std::optional<int> wanted = ranks_wanted(options);
  if (wanted) plan.world_size = *wanted;
  if (rankfile) {
    plan.ranks = place_by_file(cluster, *rankfile, wanted);
  } else {
    const PlacementOptions placement = placement_options(options, local);
    if (wanted != 0 && !(slots_known(cluster) && places_known(cluster, placement))) return plan;
    plan.ranks = place_ranks(cluster, placement);
  }
  plan.placed = true;
  plan.world_size = static_cast<int>(plan.ranks.size());
  plan.slots_used = local_sizes(cluster, plan.ranks);
  plan.program_of = programs_of_ranks(options, plan.ranks.size());
  return plan;
}

bool LaunchPlan::oversubscribed(size_t host) const {
  int used = host < slots_used.size() ? slots_used[host] : 0;
  const Host& one = hosts[host];
  return (one.slots && used > *one.slots) || (!one.cores.empty() && used > static_cast<int>(one.cores.size()));
}

std::vector<PlannedGroups> groups_of(const ProcessMesh& mesh) {
  std::vector<PlannedGroups> result;
  for (Axis axis : {Axis::kData, Axis::kTensor, Axis::kPipeline, Axis::kSequence, Axis::kContext, Axis::kExpert})
    if (axis == Axis::kData || mesh.size(axis) > 1) result.push_back({long_name(axis), mesh.groups({axis})});
  return result;
}

}  // namespace ds
