// Which step of Slurm a process stands in. sbatch and salloc inside a step hand its SLURM_STEP_* on to the new job,
// where they mean nothing; the processes above this one tell.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ds {

struct SlurmStep {
  std::string job;   // "12"
  std::string step;  // "0", "batch", "interactive", "extern"
};

// From the title of a process, "slurmstepd: [12.batch]"; nullopt: another process.
std::optional<SlurmStep> slurm_step_of_title(const std::string& title);

// `environment` without SLURM_STEP_* when they are of another step than the one that `titles` show: those of the
// processes above this one, the nearest first. They are kept when no slurmstepd is seen (a container, hidden
// processes).
std::map<std::string, std::string> without_stale_step(std::map<std::string, std::string> environment,
                                                      const std::vector<std::string>& titles);

}  // namespace ds
