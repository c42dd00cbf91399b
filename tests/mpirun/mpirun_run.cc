#include "tests/mpirun/mpirun_run.h"

namespace ds::testing {

std::string no_oracle() {
  static const std::string reason = [] {
    const RunResult version = run_mpirun({"--version"});
    if (version.code != 0) return std::string("no mpirun in PATH");
    const bool known = version.out.find("(Open MPI) 4.1") != std::string::npos;
    return known ? std::string() : "mpirun is not Open MPI 4.1: " + version.out.substr(0, version.out.find('\n'));
  }();
  return reason;
}

RunResult run_mpirun(const std::vector<std::string>& arguments, RunOptions options) {
  options.program = "mpirun";
  options.env.insert({{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                      {"OMPI_MCA_ras", "^slurm"},
                      {"OMPI_MCA_plm", "^slurm"}});
  return run_dslaunch(arguments, options);
}

}  // namespace ds::testing
