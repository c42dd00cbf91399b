// The variables that the launcher gives to ranks on all hosts: -x, .deepspeed_env, MPI parameters, MASTER_ADDR.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ds {

struct Options;

// "VAR" (its value in `environment`), "VAR=value", "prepend VAR=value" -> the last two. Unset variables are left out
// with a warning.
std::vector<std::string> resolve_exports(const std::vector<std::string>& exports,
                                         const std::map<std::string, std::string>& environment,
                                         std::vector<std::string>& warnings);

// Everything for all ranks, weakest first: what DeepSpeed's launcher exports by prefix (NCCL_, UCX_, PYTHON, MV2_),
// .deepspeed_env of home and of the working folder (or what DS_ENV_FILE names). -x of programs comes on top, per rank.
std::vector<std::string> common_exports(const std::map<std::string, std::string>& environment);

// "key=value" for Open MPI: OMPI_MCA_* of `environment` that are wishes about communication, then --ports, then --mca.
// (--interface is each agent's own to translate.)
std::vector<std::string> mpi_parameters(const Options& options, const std::map<std::string, std::string>& environment);

}  // namespace ds
