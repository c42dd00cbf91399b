// Asks Slurm once how many GPUs of each node this job has.
#include <boost/asio/io_context.hpp>

#include "agent/helper_process.h"
#include "hostfiles/slurm_gpus.h"
#include "launcher/plan/hosts_from.h"
#include "launcher/reach/agent_starter.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

std::map<std::string, int> gpus_of_slurm_job() {
  const auto environment = environment_map();
  const auto job = environment.find("SLURM_JOB_ID");
  if (job == environment.end() || !parse_int(job->second) || !gpus_may_differ(environment)) return {};
  std::string shown;
  try {
    boost::asio::io_context io;
    HelperProcess::Events events{[&](const std::string& bytes) { shown += bytes; }, [&] { io.stop(); }};
    HelperProcess scontrol(io, {{"scontrol", "show", "job", "-d", job->second}, {}, true}, std::move(events));
    io.run_for(std::chrono::seconds(10));
  } catch (const Error&) {  // it is not installed here
  }
  return gpus_by_node(shown);
}

}  // namespace ds
