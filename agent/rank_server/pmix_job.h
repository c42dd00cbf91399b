// What libpmix is told about a generation: the whole job, and the part of this host.
#pragma once

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

}  // namespace ds
