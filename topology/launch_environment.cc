#include "topology/launch_environment.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// The names under which one launcher tells the same four numbers.
struct Names {
  const char *rank, *world_size, *local_rank, *local_size;
};
constexpr Names kOurs{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kMpirun{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                        "OMPI_COMM_WORLD_LOCAL_SIZE"};

std::string value_of(const Variables& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool has(const Variables& environment, const std::string& name) { return !value_of(environment, name).empty(); }

int number(const Variables& environment, const std::string& name, int lowest) {
  const std::string text = value_of(environment, name);
  const auto value = parse_int(text);
  if (value && *value >= lowest && *value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
  throw Error(ErrorCode::kUsage, "environment: " + name + "='" + text + "': must be a whole number, " +
                                     std::to_string(lowest) + " or more, as the launcher of this rank sets it");
}

int number_or(const Variables& environment, const std::string& name, int lowest, int otherwise) {
  return has(environment, name) ? number(environment, name, lowest) : otherwise;
}

void check_below(int value, int limit, const std::string& name, const std::string& limit_name) {
  if (value >= limit)
    throw Error(ErrorCode::kUsage, "environment: " + name + "=" + std::to_string(value) + " is not below " +
                                       limit_name + "=" + std::to_string(limit));
}

RankEnvironment read(const Variables& environment, const Names& names, RankSource source) {
  RankEnvironment place{.source = source};
  place.rank = number(environment, names.rank, 0);
  place.world_size = number(environment, names.world_size, 1);
  place.local_rank = number(environment, names.local_rank, 0);
  place.local_size = number(environment, names.local_size, 1);
  check_below(place.rank, place.world_size, names.rank, names.world_size);
  check_below(place.local_rank, place.local_size, names.local_rank, names.local_size);
  return place;
}

RankEnvironment read_ours(const Variables& environment) {
  RankEnvironment place = read(environment, kOurs, RankSource::kDslaunch);
  place.node_rank = number(environment, "NODE_RANK", 0);
  place.generation = number(environment, kVariableGeneration, 1);
  place.job = value_of(environment, kVariableJob);
  place.master_address = value_of(environment, "MASTER_ADDR");
  place.master_port = number_or(environment, "MASTER_PORT", 0, 0);
  return place;
}

// An mpirun that a rank of ours runs gives its own ranks other numbers than we gave that rank.
bool is_inner_mpirun(const Variables& environment) {
  return has(environment, kMpirun.world_size) &&
         (value_of(environment, kMpirun.world_size) != value_of(environment, kOurs.world_size) ||
          value_of(environment, kMpirun.rank) != value_of(environment, kOurs.rank));
}

// "2(x3),1": the number of node `index`.
int count_at(const Variables& environment, const std::string& name, int index) {
  int64_t left = index;
  for (const std::string& part : split(value_of(environment, name), ',')) {
    const auto open = part.find("(x");
    const auto count = parse_int(part.substr(0, open));
    const auto times = open == std::string::npos
                           ? 1
                           : parse_int(std::string_view(part).substr(open + 2, part.find(')') - open - 2)).value_or(0);
    if (!count || *count < 1 || *count > std::numeric_limits<int>::max() || times < 1) break;
    if (left < times) return static_cast<int>(*count);
    left -= times;
  }
  throw Error(ErrorCode::kUsage, "environment: " + name + "='" + value_of(environment, name) +
                                     "' has no count for node " + std::to_string(index));
}

std::string first_set(const Variables& environment, const std::string& first, const std::string& second) {
  return has(environment, first) ? first : second;
}

RankEnvironment read_slurm(const Variables& environment) {
  RankEnvironment place{.source = RankSource::kSlurm};
  const std::string size = first_set(environment, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
  const std::string tasks = first_set(environment, "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE");
  place.rank = number(environment, "SLURM_PROCID", 0);
  place.world_size = number(environment, size, 1);
  place.local_rank = number(environment, "SLURM_LOCALID", 0);
  place.node_rank = number(environment, "SLURM_NODEID", 0);
  place.local_size = count_at(environment, tasks, *place.node_rank);
  check_below(place.rank, place.world_size, "SLURM_PROCID", size);
  check_below(place.local_rank, place.local_size, "SLURM_LOCALID", tasks);
  return place;
}

}  // namespace

Variables rank_variables(const RankEnvironment& place) {
  const std::string rank = std::to_string(place.rank), size = std::to_string(place.world_size);
  const std::string local = std::to_string(place.local_rank), local_size = std::to_string(place.local_size);
  Variables variables{{kOurs.rank, rank},
                      {kOurs.world_size, size},
                      {kOurs.local_rank, local},
                      {kOurs.local_size, local_size},
                      {kMpirun.rank, rank},
                      {kMpirun.world_size, size},
                      {kMpirun.local_rank, local},
                      {kMpirun.local_size, local_size},
                      {"OMPI_COMM_WORLD_NODE_RANK", local},  // Open MPI means the place on the node by it
                      {"NODE_RANK", std::to_string(place.node_rank.value_or(0))},
                      {kVariableJob, place.job},
                      {kVariableGeneration, std::to_string(place.generation)}};
  if (!place.master_address.empty()) variables["MASTER_ADDR"] = place.master_address;
  if (place.master_port > 0) variables["MASTER_PORT"] = std::to_string(place.master_port);
  return variables;
}

RankEnvironment read_rank_environment(const Variables& environment) {
  if (has(environment, kVariableJob) && has(environment, kOurs.rank) && !is_inner_mpirun(environment))
    return read_ours(environment);
  if (has(environment, kMpirun.world_size)) {
    RankEnvironment place = read(environment, kMpirun, RankSource::kMpirun);
    place.node_rank = std::nullopt;
    return place;
  }
  if (has(environment, "PMIX_RANK") && has(environment, "SLURM_PROCID")) return read_slurm(environment);
  return {};
}

bool must_not_reach_ranks(const std::string& name) {
  constexpr std::array<std::string_view, 9> kPrefixes{"PMIX_",   "PMI_",  "PMI2_", "OMPI_", "SLURM_",
                                                     "SLURMD_", "ORTE_", "JSM_",  "FLUX_"};
  constexpr std::array<std::string_view, 10> kOwn{
      "RANK",        "WORLD_SIZE",  "LOCAL_RANK",   "LOCAL_WORLD_SIZE",    "NODE_RANK",
      "MASTER_ADDR", "MASTER_PORT", "DSLAUNCH_JOB", "DSLAUNCH_GENERATION", "DSLAUNCH_BLOCK"};
  const bool prefixed = std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                    [&](std::string_view prefix) { return name.starts_with(prefix); });
  return prefixed || std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

Variables inherited_by_ranks(const Variables& inherited) {
  Variables environment;
  for (const auto& [name, value] : inherited)
    if (!must_not_reach_ranks(name)) environment[name] = value;
  return environment;
}

}  // namespace ds
