// What `dslaunch status --json` prints: the state of the job and its ranks with hosts and pids.
#pragma once

#include <string>

namespace ds {

class JobRecord;
class RankTable;
struct LaunchPlan;

// The fields of job.json and `processes`: rank, host, pid (0 = not started) and running of each rank of this generation.
std::string status_json(const JobRecord& record, const RankTable& ranks, const LaunchPlan& plan);

}  // namespace ds
