#include "tests/launcher/simulated_cluster.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/places.h"

namespace ds::testing {

namespace fs = std::filesystem;

// Addresses of the network for benchmarks (RFC 2544): nobody is asked what they stand for.
std::string SimulatedCluster::host_name(int host) {
  return "198.18." + std::to_string(host / 250) + "." + std::to_string(1 + host % 250);
}

SimulatedCluster::SimulatedCluster(const SimulatedClusterOptions& options) {
  char pattern[] = "/tmp/dslaunch-simulated-XXXXXX";
  folder_ = ::mkdtemp(pattern);
  fs::create_symlink(test::bin_folder() + "/simulated_agents", folder_ + "/srun");
  std::string names, count = std::to_string(options.num_hosts);
  for (int host = 0; host < options.num_hosts; ++host) names += (host ? "," : "") + host_name(host);
  const char* path = std::getenv("PATH");
  environment_ = {{"PATH", folder_ + ":" + (path ? path : "")},
                  {"XDG_STATE_HOME", folder_ + "/state"},
                  {"SLURM_JOB_ID", "1"},
                  {"SLURM_JOB_NODELIST", names},
                  {"SLURM_NTASKS", count},
                  {"SLURM_TASKS_PER_NODE", "1(x" + count + ")"},
                  {"SIMULATED_LIVE_MS", std::to_string(options.ranks_live.count())},
                  {"SIMULATED_DEAF_HOST", std::to_string(options.deaf_host)},
                  {"SIMULATED_LATE_HOST", std::to_string(options.late_host)},
                  {"SIMULATED_LATE_MS", std::to_string(options.late.count())},
                  {"SIMULATED_REPORT", report_path()}};
}

SimulatedCluster::~SimulatedCluster() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

}  // namespace ds::testing
