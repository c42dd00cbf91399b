// What libpmix is told about a generation: the whole job, and the part of this host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/rank_server/pmix_info.h"

namespace ds {

namespace control {
class StartGeneration;
}

// Names for the hosts in the job map: our own is the one the PMIx server was started with, and all differ.
std::vector<std::string> node_names(const control::StartGeneration& start, const std::string& own_name);

uint32_t node_of_rank(const control::StartGeneration& start, uint32_t rank);  // hosts_size() if there is none

void describe_job(PmixInfo& info, const control::StartGeneration& start, const std::string& own_name,
                  const std::string& folder);

// What Open MPI's own launcher tells each rank about the job; MPI_INFO_ENV and some programs read it.
std::map<std::string, std::string> mpirun_variables(const control::StartGeneration& start);

}  // namespace ds
