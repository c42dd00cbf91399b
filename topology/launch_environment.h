// The environment variables that tell a rank who it is: written by the agent, read by the rank. Functions over maps;
// docs/launch_environment.md is the list.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace ds {

using Variables = std::map<std::string, std::string>;

inline constexpr const char* kVariableJob = "DSLAUNCH_JOB";
inline constexpr const char* kVariableGeneration = "DSLAUNCH_GENERATION";

enum class RankSource {
  kAlone,     // nobody started it as part of a job: a world of one
  kDslaunch,  // an agent of ours
  kMpirun,    // mpirun of Open MPI
  kSlurm,     // srun --mpi=pmix
};

struct RankEnvironment {
  RankSource source = RankSource::kAlone;
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;                // among the ranks of this host
  int local_size = 1;
  std::optional<int> node_rank = 0;  // number of the host; mpirun does not tell it
  int generation = 1;
  std::string job{};                 // id; empty without agents
  std::string master_address{};      // host of rank 0 and a free port there, for programs that meet by TCP
  int master_port = 0;               // 0 = not told
};

// The variables of section "what a rank gets" of the page, without those that depend on the host (OMP_NUM_THREADS,
// CUDA_VISIBLE_DEVICES). `place.source` does not matter.
Variables rank_variables(const RankEnvironment& place);

// Who this process is. Our variables count when DSLAUNCH_JOB is set, unless an mpirun started inside a rank of ours
// says otherwise; Slurm's only in a step with PMIx, since a batch script has SLURM_PROCID too. Nothing of that: a world
// of one. Throws kUsage naming the variable whose value is missing or impossible.
RankEnvironment read_rank_environment(const Variables& environment);

// True for variables of launchers around the agent that would make a rank take itself for part of their job
// (PMIX_*, PMI_*, PMI2_*, OMPI_*, SLURM_*, SLURMD_*, ORTE_*, JSM_*, FLUX_*) and for our own of an outer job.
bool must_not_reach_ranks(const std::string& name);

// The environment of a rank before anything is added to it: `inherited` without what must not reach ranks.
Variables inherited_by_ranks(const Variables& inherited);

}  // namespace ds
