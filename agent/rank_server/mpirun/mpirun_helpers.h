// The two programs that an mpirun of ours starts: both are short talks with the rank server of their host.
#pragma once

#include <string>
#include <vector>

namespace ds {

// dsagent --mpirun-rank: stands for a rank; returns the rank's exit code when that has ended.
int stand_in_for_rank();

// dsagent --mpirun-login HOST COMMAND ...: what ssh would do, through the agents. 0 = handed over.
int login_for_mpirun(const std::vector<std::string>& arguments);

}  // namespace ds
