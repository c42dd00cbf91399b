// The variables that the launcher gives to ranks on all hosts: -x, .deepspeed_env, MPI parameters, MASTER_ADDR.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ds {

struct Options;

// "VAR" (its value in `environment`) and "VAR=value" -> "VAR=value". Unset variables are left out with a warning.
std::vector<std::string> resolve_exports(const std::vector<std::string>& exports,
                                         const std::map<std::string, std::string>& environment,
                                         std::vector<std::string>& warnings);

// The lines NAME=value of a .deepspeed_env file; values are literal, nothing is expanded. Empty lines and # comments.
// Throws kUsage naming file and line.
std::vector<std::string> parse_env_file(const std::string& text, const std::string& file);

// Everything for all ranks, weakest first: what DeepSpeed's launcher exports by prefix (NCCL_, UCX_, PYTHON, MV2_),
// .deepspeed_env of home and of the working folder. -x of programs comes on top, per rank.
std::vector<std::string> common_exports(const std::map<std::string, std::string>& environment);

// "key=value" for Open MPI: OMPI_MCA_* of `environment` that are wishes about communication, then --mca, then
// --interface.
std::vector<std::string> mpi_parameters(const Options& options, const std::map<std::string, std::string>& environment);

}  // namespace ds
