#include "hostfiles/slurm_step.h"

#include <algorithm>

namespace ds {
namespace {

using Variables = std::map<std::string, std::string>;

bool is_value(const Variables& variables, const std::string& name, const std::string& value) {
  const auto found = variables.find(name);
  return found != variables.end() && found->second == value;
}

// In a step of several components of a heterogeneous job SLURM_JOB_ID is that of the first one.
bool is_of_job(const Variables& variables, const std::string& job) {
  if (is_value(variables, "SLURM_JOB_ID", job) || is_value(variables, "SLURM_JOBID", job)) return true;
  return std::any_of(variables.begin(), variables.end(), [&](const auto& one) {
    return one.first.starts_with("SLURM_JOB_ID_HET_GROUP_") && one.second == job;
  });
}

bool is_of_step(const std::string& name) { return name.starts_with("SLURM_STEP_") || name == "SLURM_STEPID"; }

bool is_numbered(const std::string& step) { return !step.empty() && step[0] >= '0' && step[0] <= '9'; }

}  // namespace

std::optional<SlurmStep> slurm_step_of_title(const std::string& title) {
  const std::string start = "slurmstepd: [";
  const auto end = title.find(']');
  if (!title.starts_with(start) || end == std::string::npos) return std::nullopt;
  const std::string name = title.substr(start.size(), end - start.size());
  const auto job_end = name.find_first_not_of("0123456789"), dot = name.find('.');
  if (job_end == 0 || dot == std::string::npos || dot + 1 == name.size()) return std::nullopt;
  return SlurmStep{name.substr(0, job_end), name.substr(dot + 1)};
}

Variables without_stale_step(Variables environment, const std::vector<std::string>& titles) {
  for (const std::string& title : titles) {
    const auto above = slurm_step_of_title(title);
    if (!above) continue;
    if (is_numbered(above->step) && is_of_job(environment, above->job)) return environment;
    std::erase_if(environment, [](const auto& one) { return is_of_step(one.first); });
    return environment;
  }
  return environment;
}

}  // namespace ds
