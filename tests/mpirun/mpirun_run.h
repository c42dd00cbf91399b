// Open MPI's mpirun as the oracle: the same words are given to it and to dslaunch.
#pragma once

#include "tests/launcher/dslaunch_run.h"

namespace ds::testing {

// Why the comparison cannot be made here ("no mpirun in PATH", another version than 4.1); "" when it can.
std::string no_oracle();

// mpirun on this machine with these words; root is allowed, Slurm's plugins are kept out.
RunResult run_mpirun(const std::vector<std::string>& arguments, RunOptions options = {});

}  // namespace ds::testing
