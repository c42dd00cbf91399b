#include "hostfiles/slurm_allocation.h"

#include <optional>

#include "hostfiles/host_name.h"
#include "hostfiles/slurm_gpus.h"
#include "hostfiles/slurm_nodelist.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using Variables = std::map<std::string, std::string>;

// The first of `names` that is set and not empty; "" if none is.
std::string first_set(const Variables& variables, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) return name;
  }
  return "";
}

std::vector<int> counts_of(const Variables& variables, const std::string& name, size_t num_hosts) {
  const std::string& text = variables.at(name);
  std::vector<int> counts = parse_slurm_counts(text);
  if (counts.size() == num_hosts) return counts;
  throw Error(ErrorCode::kUsage, "Slurm: " + name + "=" + quote(text) + " is for " + std::to_string(counts.size()) +
                                     " nodes, the node list has " + std::to_string(num_hosts));
}

// A step that srun started may be smaller than its job and is described by its own variables. The shells of salloc and
// sbatch are steps of one node too, with numbers from the top of the range; they stand for the whole job.
bool inside_smaller_step(const Variables& variables) {
  constexpr int64_t kFirstSpecialStep = 0xfffffff0;
  const std::string name = first_set(variables, {"SLURM_STEP_ID", "SLURM_STEPID"});
  return name.empty() || parse_int(variables.at(name)).value_or(0) < kFirstSpecialStep;
}

std::string value_of(const Variables& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

// `srun -n3 dslaunch ...` would start three whole jobs. A job that was submitted from inside a step may have the step's
// variables still, but has a number of tasks of its own.
void refuse_a_task_of_many(const Variables& variables) {
  const std::string tasks = value_of(variables, "SLURM_STEP_NUM_TASKS"), task = value_of(variables, "SLURM_PROCID");
  if (parse_int(tasks).value_or(1) < 2 || task.empty() || tasks != value_of(variables, "SLURM_NTASKS")) return;
  if (!inside_smaller_step(variables)) return;
  throw Error(ErrorCode::kUsage,
              "Slurm: SLURM_PROCID=" + task + ", SLURM_STEP_NUM_TASKS=" + tasks + ": srun started " + tasks +
                  " tasks, and each of them would start the whole job: start dslaunch without srun, or "
                  "by srun -n1; if one task alone starts it: env -u SLURM_PROCID dslaunch ...");
}

std::string tasks_variable(const Variables& variables) {
  const std::string step = inside_smaller_step(variables) ? first_set(variables, {"SLURM_STEP_TASKS_PER_NODE"}) : "";
  return step.empty() ? first_set(variables, {"SLURM_TASKS_PER_NODE"}) : step;
}

std::string nodes_variable(const Variables& variables) {
  const std::string step = inside_smaller_step(variables) ? first_set(variables, {"SLURM_STEP_NODELIST"}) : "";
  return step.empty() ? first_set(variables, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) : step;
}

std::vector<std::string> names_of(const Variables& variables, const std::string& list) {
  try {
    return parse_slurm_nodelist(variables.at(list));
  } catch (const Error& error) {
    throw Error(error.code(), "Slurm: " + list + ": " + error.what());
  }
}

// GPUs of the node that the batch script runs on.
std::optional<int> gpus_per_node(const Variables& variables) {
  const std::string name = first_set(variables, {"SLURM_GPUS_ON_NODE"});
  if (name.empty()) return std::nullopt;
  const auto count = parse_int(variables.at(name));
  if (!count || *count < 0 || *count > kMaxSlots)
    throw Error(ErrorCode::kUsage, "Slurm: " + name + "=" + quote(variables.at(name)) + " is not a number of GPUs");
  return *count > 0 ? std::optional<int>(static_cast<int>(*count)) : std::nullopt;
}

std::vector<std::optional<int>> slots_of(const Variables& variables, size_t num_hosts) {
  const std::string tasks = tasks_variable(variables);
  const bool asked_for_tasks = !first_set(variables, {"SLURM_NTASKS", "SLURM_NTASKS_PER_NODE"}).empty();
  const auto gpus = gpus_per_node(variables);
  if (gpus && !(asked_for_tasks && !tasks.empty())) {
    const bool only_nodes_can_tell = num_hosts > 1 && gpus_may_differ(variables);
    return std::vector<std::optional<int>>(num_hosts, only_nodes_can_tell ? std::nullopt : gpus);
  }
  const std::string counts = !tasks.empty() ? tasks : first_set(variables, {"SLURM_JOB_CPUS_PER_NODE"});
  if (counts.empty()) return std::vector<std::optional<int>>(num_hosts);
  const std::vector<int> each = counts_of(variables, counts, num_hosts);
  return {each.begin(), each.end()};
}

}  // namespace

bool has_slurm_allocation(const Variables& environment) {
  return !first_set(environment, {"SLURM_JOB_ID", "SLURM_JOBID"}).empty() &&
         !first_set(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}).empty();
}

Cluster slurm_allocation(const Variables& environment) {
  refuse_a_task_of_many(environment);
  const std::string list = nodes_variable(environment);
  if (list.empty()) throw Error(ErrorCode::kUsage, "Slurm: SLURM_JOB_NODELIST is not set");
  const std::vector<std::string> names = names_of(environment, list);
  if (names.empty()) throw Error(ErrorCode::kUsage, "Slurm: " + list + " has no nodes");
  const auto slots = slots_of(environment, names.size());
  Cluster cluster;
  for (size_t i = 0; i < names.size(); ++i) cluster.hosts.push_back({.name = names[i], .slots = slots[i]});
  return cluster;
}

SlurmNodes slurm_nodes(const Variables& environment) {
  const std::string job = first_set(environment, {"SLURM_JOB_ID", "SLURM_JOBID"});
  const std::string list = first_set(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  return {value_of(environment, job.c_str()), value_of(environment, list.c_str()), names_of(environment, list)};
}

}  // namespace ds
