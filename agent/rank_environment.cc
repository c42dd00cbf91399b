#include "agent/rank_environment.h"

#include <algorithm>
#include <string_view>

#include "agent/contract.h"
#include "agent/leftovers.h"
#include "agent/mca_defaults.h"
#include "agent/proto/control.pb.h"
#include "topology/launch_environment.h"

namespace ds {

std::vector<uint32_t> ranks_of(const control::HostSpec& host) {
  std::vector<uint32_t> ranks(host.ranks().begin(), host.ranks().end());
  if (ranks.empty())
    for (uint32_t i = 0; i < host.num_ranks(); ++i) ranks.push_back(host.first_rank() + i);
  return ranks;
}

std::string with_run_folder(const std::string& text, const control::StartGeneration& start) {
  static constexpr std::string_view kName = "{run}";
  return start.training() && text.starts_with(kName) ? start.run_folder() + text.substr(kName.size()) : text;
}

// "NAME=value" sets, "prepend NAME=value" puts the value before what this host has, with ":" between.
static void export_all(Environment& environment, const auto& exports) {
  for (const std::string& one : exports) {
    if (!one.starts_with(kPrependWord)) {
      set_one(environment, one);
      continue;
    }
    const size_t begin = kPrependWord.size(), equals = one.find('=', begin);
    if (equals == std::string::npos) continue;
    std::string& value = environment[one.substr(begin, equals - begin)];
    value = one.substr(equals + 1) + (value.empty() ? "" : ":" + value);
  }
}

static void set_place(Environment& environment, const control::StartGeneration& start, const control::RankSpec& rank,
                      const RankSurroundings& surroundings) {
  RankEnvironment place;
  place.rank = static_cast<int>(rank.rank());
  place.world_size = static_cast<int>(start.world_size());
  place.local_rank = static_cast<int>(rank.local_rank());
  place.local_size = start.ranks_size();
  place.node_rank = static_cast<int>(start.node());
  place.generation = static_cast<int>(start.generation());
  place.job = surroundings.job;
  for (const auto& [name, value] : rank_variables(place)) environment[name] = value;
  environment[kHostVariable] = std::to_string(surroundings.host_index);
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
  if (rank.num_cores() > 0) return std::to_string(rank.num_cores());
  const uint32_t ranks = std::max(1, start.ranks_size());
  return std::to_string(std::max(1u, surroundings.usable_cores / ranks));
}

Environment rank_environment(const Environment& inherited, const control::StartGeneration& start,
                             const control::RankSpec& rank, const RankSurroundings& surroundings) {
  Environment environment = shared_environment(inherited, start);
  add_rank_environment(environment, start, rank, surroundings);
  return environment;
}

Environment shared_environment(const Environment& inherited, const control::StartGeneration& start) {
  Environment environment = inherited_by_ranks(inherited);
  environment.erase(kServerVariable);
  export_all(environment, start.env());
  return environment;
}

void add_rank_environment(Environment& environment, const control::StartGeneration& start,
                          const control::RankSpec& rank, const RankSurroundings& surroundings) {
  export_all(environment, rank.env());
  for (const std::string& hint : rank.hints())
    if (const size_t equals = hint.find('='); equals != std::string::npos)
      environment.emplace(hint.substr(0, equals), hint.substr(equals + 1));
  set_place(environment, start, rank, surroundings);
  set_meeting_point(environment, start);
  environment.emplace("OMP_NUM_THREADS", thread_count(start, rank, surroundings));
  // Training ranks share their host with others; threads that spin while they wait would take the cores of those.
  if (start.training() && environment.count("OMP_WAIT_POLICY") == 0) environment.emplace("GOMP_SPINCOUNT", "1000");
  if (!start.interface().empty() && start.hosts_size() > 1)
    for (const char* name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"})
      environment.emplace(name, surroundings.networks.interfaces);
  for (const auto& parameter : start.mca()) set_one(environment, "OMPI_MCA_" + parameter);
  if (start.wireup() != "none") {
    MpiSurroundings mpi;
    mpi.several_hosts = start.hosts_size() > 1;
    mpi.fast_fabric = surroundings.fast_fabric;
    mpi.oversubscribed =
        start.oversubscribed() || static_cast<uint32_t>(start.ranks_size()) > surroundings.usable_cores;
    mpi.uses_gpus = !get_or(environment, "CUDA_VISIBLE_DEVICES", "").empty();
    mpi.included_networks = surroundings.networks.include;
    mpi.excluded_networks = surroundings.networks.exclude;
    mpi.memory_folder = start.memory_folder();
    add_mca_defaults(environment, mpi);
  }
}

}  // namespace ds
