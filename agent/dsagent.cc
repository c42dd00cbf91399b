// The program dsagent: agent (default), rank server (--rank-server), sweep (--sweep), resident agent and its caller.
#include <linux/close_range.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "agent/agent_session.h"
#include "agent/bootstrap.h"
#include "agent/channel.h"
#include "agent/job_folders.h"
#include "agent/oom_kills.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_server/mpirun/mpirun_helpers.h"
#include "agent/rank_server/rank_server.h"
#include "agent/rank_server/wireup.h"
#include "agent/resident/resident_agent.h"
#include "agent/resident/resident_caller.h"
#include "agent/sweep.h"
#include "topology/base/error.h"
#include "topology/base/standard_streams.h"
#include "topology/base/text.h"

namespace {

constexpr auto kBootstrapLimit = std::chrono::seconds(30);
constexpr auto kSweepLimit = std::chrono::milliseconds(3000);
constexpr const char* kUsage =
    "usage: dsagent                 started by dslaunch, which talks to it on stdin\n"
    "       dsagent --sweep JOB     kill what a dead agent of that job left on this host, remove its files\n"
    "       dsagent --resident      stays for later jobs; started by dslaunch agents start\n"
    "       dsagent --enter FILE    reaches a host through its resident agent, as ssh would\n"
    "       dsagent --version\n";

int64_t number_after(const std::vector<std::string>& arguments, const std::string& option) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == option)
      if (const auto number = ds::parse_int(arguments[i + 1])) return *number;
  throw ds::Error(ds::ErrorCode::kUsage, "dsagent: " + option + " needs a number");
}

std::string text_after(const std::vector<std::string>& arguments, const std::string& option) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == option && ds::valid_job_id(arguments[i + 1])) return arguments[i + 1];
  throw ds::Error(ds::ErrorCode::kUsage, "dsagent: " + option + " needs a job id");
}

std::string own_path() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) throw ds::Error(ds::ErrorCode::kInternal, "dsagent: /proc is not mounted");
  return std::string(path, static_cast<size_t>(n));
}

int rank_server(const std::vector<std::string>& arguments) {
  ds::RankServerOptions options;
  options.program = own_path();
  options.channel_fd = static_cast<int>(number_after(arguments, "--rank-server"));
  options.job = text_after(arguments, "--job");
  options.host_index = static_cast<uint32_t>(number_after(arguments, "--host-index"));
  if (std::find(arguments.begin(), arguments.end(), "--first-port") != arguments.end())
    options.ports = {static_cast<int>(number_after(arguments, "--first-port")),
                     static_cast<int>(number_after(arguments, "--last-port"))};
  return ds::run_rank_server(options);
}

int sweep(const std::vector<std::string>& arguments) {
  const std::string left = ds::sweep(text_after(arguments, "--sweep"), kSweepLimit);
  std::fputs(ds::oom_kills_line(ds::oom_kills()).c_str(), stderr);
  if (left.empty()) return 0;
  std::fprintf(stderr, "dsagent: cannot be killed: %s\n", left.c_str());
  return 1;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return ds::run_agent(ds::read_bootstrap(STDIN_FILENO, kBootstrapLimit), own_path());
  if (arguments[0] == "--rank-server") return rank_server(arguments);
  if (arguments[0] == "--sweep") return sweep(arguments);
  if (arguments[0] == "--mpirun-rank") return ds::stand_in_for_rank();
  if (arguments[0] == "--mpirun-login") return ds::login_for_mpirun({arguments.begin() + 1, arguments.end()});
  if (arguments[0] == "--resident") return ds::run_resident(STDIN_FILENO, STDOUT_FILENO, own_path());
  if (arguments[0] == "--enter" && arguments.size() > 1)
    return ds::enter_through_resident(arguments[1], {arguments.begin() + 2, arguments.end()}, STDIN_FILENO);
  if (arguments[0] == "--version") {
    std::printf("dsagent %s, protocol %u, PMIx %s\n", ds::build_id().c_str(), ds::kProtocolVersion,
                ds::pmix_version().c_str());
    return 0;
  }
  std::fputs(kUsage, arguments[0] == "--help" || arguments[0] == "-h" ? stdout : stderr);
  return arguments[0] == "--help" || arguments[0] == "-h" ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  ds::open_standard_streams();
  // Whatever ssh, srun or a careless shell left open must not reach the ranks.
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  try {
    return run({argv + 1, argv + argc});
  } catch (const ds::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ds::exit_status(error.code());
  }
}
