#include "agent/sweep.h"

#include <csignal>
#include <sstream>

#include "agent/job_folders.h"
#include "agent/leftovers.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

// The agent wrote its pid and start time into its folder; it carries no marker in its environment.
static void kill_agent(const std::string& host_folder) {
  try {
    std::istringstream text(read_file(host_folder + "/agent"));
    ProcessInfo agent;
    if (text >> agent.pid >> agent.start_time) signal_exactly(agent, SIGKILL);
  } catch (const Error&) {
    // no file: it never got so far, or it has cleaned up
  }
}

std::string sweep(const std::string& job, std::chrono::milliseconds limit) {
  const std::string host = own_host_name();
  for (const auto& folder : host_folders_of_job(job, host)) kill_agent(folder);
  JobMarker marker{job, std::nullopt};
  marker.with_servers = true;
  const std::string left = kill_leftovers(marker, {}, {}, limit);
  remove_files_of_job(job, host);
  return left;
}

}  // namespace ds
