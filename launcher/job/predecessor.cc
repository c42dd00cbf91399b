#include "launcher/job/predecessor.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher/job/file_age.h"
#include "launcher/job/job_file.h"
#include "launcher/job/output_folder.h"
#include "launcher/plan/job.h"
#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"

namespace ds {
namespace {

// Agents end 20 s after the last answer of their launcher, which may have come just after the last sign of life in its file.
constexpr double kAgentsGone = 25;
constexpr double kClocksDiffer = 300;  // of two hosts

struct Gone {
  std::string job, host;
  double silence = 0;
};

bool agents_may_be_there(const Gone& gone) {
  const bool one_clock = gone.host == this_host_name();
  return gone.silence < kAgentsGone + (one_clock ? 0 : kClocksDiffer);
}

void refuse_without_elastic(const Gone& gone, const Job& job) {
  if (job.elastic.restarts) return;
  throw Error(ErrorCode::kUnavailable,
              "the launcher of job " + gone.job + " on " + gone.host + ", which trained into " + job.output + ", died " +
                  std::to_string(static_cast<int>(gone.silence)) +
                  " s ago: its ranks may still run. Start it again with --elastic to take them over, or wait until they "
                  "have ended (25 s)");
}

// What it left for launchers on its own host, in its private file.
std::optional<JobFile> left_here(const std::string& folder, const std::string& output) {
  for (const JobFile& file : read_job_files(folder)) {
    if (!file.handover || file.output != output || file.host != this_host_name() || is_running(file).value_or(true)) continue;
    if (agents_may_be_there({file.job, file.host, file.silence})) return file;
    remove_job_file(folder, file.job);
  }
  return std::nullopt;
}

// What is to be seen in the output folder from any host: an elastic job that is not over.
std::optional<Gone> left_elsewhere(const std::string& output) {
  std::ifstream stream(job_json_path(output));
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.value("elastic", false) || json.contains("exit_code")) return std::nullopt;
  const std::string control = json.value("control", "");
  Gone gone{json.value("id", ""), control.substr(0, control.find(':')), seconds_since_written(job_json_path(output))};
  if (gone.job.empty() || gone.host.empty() || !agents_may_be_there(gone)) return std::nullopt;
  return gone;
}

}  // namespace

void find_predecessor(const std::string& job_file_folder, Job& job) {
  if (const std::optional<JobFile> file = left_here(job_file_folder, job.output)) {
    refuse_without_elastic({file->job, file->host, file->silence}, job);
    job.after = {file->handover->fingerprint == job.fingerprint, file->port, std::max(0.0, file->silence), *file->handover};
    job.id = file->job;
    if (job.after->resumes) job.key = file->key;
  } else if (const std::optional<Gone> gone = left_elsewhere(job.output)) {
    refuse_without_elastic(*gone, job);
    job.after = {false, 0, std::max(0.0, gone->silence), {}};
    job.id = gone->job;
  }
}

}  // namespace ds
