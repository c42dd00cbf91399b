// From a job's options to the option values of the parts that run it. Pure but for reading .deepspeed_env.
#pragma once

#include <string>
#include <vector>

#include "launcher/control/agent_fleet.h"
#include "launcher/output/progress.h"
#include "launcher/output/rank_output.h"
#include "launcher/control/start_message.h"

namespace ds {

class Console;
struct Job;

FleetOptions fleet_options(const Job& job);
RankOutputOptions output_options(const Job& job, const std::string& log_folder, const Console& console);
ProgressStyle progress_style_of(const Job& job);

// Files that every host must see before a training job starts.
std::vector<std::string> paths_to_check(const Job& job);

StartRequest start_request(const Job& job, int generation, std::vector<std::string>& warnings);

}  // namespace ds
