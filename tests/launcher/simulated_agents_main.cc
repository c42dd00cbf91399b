// Stands in for `srun ... dsagent`: one process that is the agents of all hosts of a Slurm allocation, simulated. Put it
// on PATH under the name srun (simulated_cluster.h does). Takes its orders from SIMULATED_*, as simulated_cluster.h says.
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "agent/bootstrap.h"
#include "agent/proto/control.pb.h"
#include "tests/launcher/simulated_agent.h"

namespace ds::testing {
namespace {

long variable(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::atol(value) : otherwise;
}

void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

SimulatedAgentOptions options_of(const control::Bootstrap& bootstrap, int host) {
  SimulatedAgentOptions options;
  options.host_index = static_cast<uint32_t>(host);
  options.host_name = bootstrap.host_names(host);
  options.key = bootstrap.key();
  options.port = static_cast<uint16_t>(bootstrap.port());
  options.beat = std::chrono::milliseconds(bootstrap.beat_ms());
  options.lease = std::chrono::milliseconds(bootstrap.lease_ms());
  options.ranks_live = std::chrono::milliseconds(variable("SIMULATED_LIVE_MS", 0));
  options.deaf = host == variable("SIMULATED_DEAF_HOST", -1);
  if (host == variable("SIMULATED_LATE_HOST", -1))
    options.late = std::chrono::milliseconds(variable("SIMULATED_LATE_MS", 300));
  return options;
}

void write_report(const SimulationRecord& record) {
  const char* path = std::getenv("SIMULATED_REPORT");
  if (!path) return;
  nlohmann::json report{{"first_hello_ns", record.first_hello_ns},
                        {"last_start_ns", record.last_start_ns},
                        {"beat_ms", record.beat_ms},
                        {"ends", record.ends}};
  std::ofstream(path) << report.dump();
}

int simulate() {
  raise_file_limit();
  const control::Bootstrap bootstrap = read_bootstrap(STDIN_FILENO, std::chrono::seconds(10));
  boost::asio::io_context io;
  SimulationRecord record;
  int left = bootstrap.host_names_size();
  std::vector<std::unique_ptr<SimulatedAgent>> agents;
  for (int host = 0; host < bootstrap.host_names_size(); ++host)
    agents.push_back(
        std::make_unique<SimulatedAgent>(io, options_of(bootstrap, host), record, [&left] { --left; }));
  DescriptorWatch life_line(io, STDIN_FILENO);
  life_line.when_readable([&left] { left = 0; });  // the launcher is gone
  while (left > 0) io.run_one();
  write_report(record);
  return 0;
}

}  // namespace
}  // namespace ds::testing

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--sweep") return 0;  // nothing is ever left behind
  return ds::testing::simulate();
}
