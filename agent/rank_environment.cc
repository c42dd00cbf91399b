#include "agent/rank_environment.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/contract.h"
#include "agent/leftovers.h"
#include "agent/mca_defaults.h"
#include "agent/proto/control.pb.h"

namespace ds {

// Variables of launchers around us: a rank that finds them takes itself for a member of their job.
static bool belongs_to_another_launcher(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kPrefixes = {"PMIX_", "PMI_",  "PMI2_", "OMPI_",
                                                                "SLURM_", "ORTE_", "JSM_",  "FLUX_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](auto prefix) { return name.starts_with(prefix); }) &&
         !is_user_parameter(name);
}

std::vector<uint32_t> ranks_of(const control::HostSpec& host) {
  std::vector<uint32_t> ranks(host.ranks().begin(), host.ranks().end());
  if (ranks.empty())
    for (uint32_t i = 0; i < host.num_ranks(); ++i) ranks.push_back(host.first_rank() + i);
  return ranks;
}

std::string expand_run_folder(const std::string& text, const std::string& run_folder) {
  static constexpr std::string_view kName = "{run}";
  std::string result;
  size_t start = 0, found;
  while ((found = text.find(kName, start)) != std::string::npos) {
    result += text.substr(start, found - start) + run_folder;
    start = found + kName.size();
  }
  return result + text.substr(start);
}

static void set_expanded(Environment& environment, const auto& assignments, const std::string& run_folder) {
  for (const auto& assignment : assignments) set_all(environment, {expand_run_folder(assignment, run_folder)});
}

static void set_place(Environment& environment, const control::StartGeneration& start, const control::RankSpec& rank,
                      const RankSurroundings& surroundings) {
  const std::string local_size = std::to_string(start.ranks_size());
  const std::string number = std::to_string(rank.rank()), local = std::to_string(rank.local_rank());
  const std::string world = std::to_string(start.world_size());
  environment["RANK"] = environment["OMPI_COMM_WORLD_RANK"] = number;
  environment["WORLD_SIZE"] = environment["OMPI_COMM_WORLD_SIZE"] = world;
  environment["LOCAL_RANK"] = environment["OMPI_COMM_WORLD_LOCAL_RANK"] = local;
  environment["LOCAL_WORLD_SIZE"] = environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = local_size;
  environment["OMPI_COMM_WORLD_NODE_RANK"] = local;
  environment["NODE_RANK"] = std::to_string(start.node());
  environment[kJobVariable] = surroundings.job;
  environment[kHostVariable] = std::to_string(surroundings.host_index);
  environment["DSLAUNCH_GENERATION"] = std::to_string(start.generation());
  if (!surroundings.block_path.empty()) environment[kBlockVariable] = surroundings.block_path;
}

// The same on every host without asking anybody: all know the hosts and the name of the generation.
static void set_meeting_point(Environment& environment, const control::StartGeneration& start) {
  const auto& first = start.hosts_size() > 0 ? start.hosts(0) : control::HostSpec::default_instance();
  const std::string address = start.hosts_size() == 1 || first.addresses_size() == 0 ? "127.0.0.1" : first.addresses(0);
  environment.emplace("MASTER_ADDR", address);
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const unsigned char c : start.name_space()) hash = (hash ^ c) * 16777619u;
  environment.emplace("MASTER_PORT", std::to_string(20000 + hash % 10000));
}

static std::string thread_count(const control::StartGeneration& start, const control::RankSpec& rank,
                                const RankSurroundings& surroundings) {
  if (rank.cpus_size() > 0) return std::to_string(rank.cpus_size());
  const uint32_t ranks = std::max(1, start.ranks_size());
  return std::to_string(std::max(1u, surroundings.usable_cores / ranks));
}

Environment rank_environment(const Environment& inherited, const control::StartGeneration& start,
                             const control::RankSpec& rank, const RankSurroundings& surroundings) {
  Environment environment;
  for (const auto& [name, value] : inherited)
    if (!belongs_to_another_launcher(name)) environment[name] = value;
  for (const char* own : {kBlockVariable, kServerVariable, "MASTER_ADDR", "MASTER_PORT"}) environment.erase(own);
  set_expanded(environment, start.env(), start.run_folder());
  set_expanded(environment, rank.env(), start.run_folder());
  set_place(environment, start, rank, surroundings);
  set_meeting_point(environment, start);
  environment.emplace("OMP_NUM_THREADS", thread_count(start, rank, surroundings));
  if (start.wireup() != "none") {
    for (const auto& parameter : start.mca()) set_all(environment, {"OMPI_MCA_" + parameter});
    MpiSurroundings mpi;
    mpi.several_hosts = start.hosts_size() > 1;
    mpi.fast_fabric = surroundings.fast_fabric;
    mpi.oversubscribed = start.oversubscribed() || static_cast<uint32_t>(start.ranks_size()) > surroundings.usable_cores;
    mpi.uses_gpus = !get_or(environment, "CUDA_VISIBLE_DEVICES", "").empty();
    mpi.shared_networks = surroundings.shared_networks;
    mpi.memory_folder = start.memory_folder();
    add_mca_defaults(environment, mpi);
  }
  return environment;
}

}  // namespace ds
