#include "launcher/records/predecessor.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/job_folders.h"
#include "launcher/records/file_age.h"
#include "launcher/records/job_file.h"
#include "launcher/records/output_folder.h"
#include "launcher/plan/job.h"
#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr double kClocksDiffer = 300;  // of two hosts

struct Gone {
  std::string job, host;
  double silence = 0;
  std::vector<std::string> hosts{};

  bool one_clock() const { return host == this_host_name(); }
  // Seconds until none of its agents can be there.
  double left() const { return kAgentsGoneSeconds + (one_clock() ? 0 : kClocksDiffer) - silence; }
};

void refuse_without_elastic(const Gone& gone, const Job& job) {
  if (job.elastic.restarts) return;
  const std::string seconds = std::to_string(static_cast<int>(gone.left()) + 1);
  throw Error(ErrorCode::kUnavailable,
              "the launcher of job " + gone.job + " on " + gone.host + ", which trained into " + job.output +
                  ", has died: its ranks may still run. Start it again with --elastic to take them over, or wait until "
                  "they have ended (" + seconds + " s)");
}

// What it left for launchers on its own host, in its private file.
std::optional<JobFile> left_here(const std::string& folder, const std::string& output) {
  for (const JobFile& file : read_job_files(folder)) {
    if (!file.handover || file.output != output || file.host != this_host_name() || is_running(file).value_or(true))
      continue;
    if (Gone{file.job, file.host, file.silence}.left() > 0) return file;
    remove_job_file(folder, file.job);
  }
  return std::nullopt;
}

std::string text_of(const nlohmann::json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

// What is to be seen in the output folder from any host: an elastic job that is not over. Others may write there, too,
// and people copy folders: nothing of it is believed that is not as we write it.
std::optional<Gone> left_elsewhere(const std::string& output) {
  const nlohmann::json json =
      nlohmann::json::parse(read_file_if_there(job_json_path(output)).value_or(""), nullptr, false);
  if (!json.is_object() || json.contains("exit_code") || text_of(json, "output") != output) return std::nullopt;
  if (!json.contains("elastic") || json["elastic"] != true || !json.contains("hosts") || !json["hosts"].is_array())
    return std::nullopt;
  const std::string control = text_of(json, "control");
  Gone gone{text_of(json, "id"), control.substr(0, control.find(':')), seconds_since_written(job_json_path(output))};
  for (const nlohmann::json& host : json["hosts"])
    if (host.is_string()) gone.hosts.push_back(host);
  if (!valid_job_id(gone.job) || gone.host.empty() || gone.left() <= 0) return std::nullopt;
  return gone;
}

}  // namespace

void find_predecessor(const std::string& job_file_folder, Job& job) {
  if (const std::optional<JobFile> file = left_here(job_file_folder, job.output)) {
    const Gone gone{file->job, file->host, std::max(0.0, file->silence)};
    refuse_without_elastic(gone, job);
    job.after = {file->handover->fingerprint == job.fingerprint, file->port, gone.silence, true, file->handover->hosts,
                 *file->handover};
    job.id = file->job;
    if (job.after->resumes) job.key = file->key;
  } else if (const std::optional<Gone> gone = left_elsewhere(job.output)) {
    refuse_without_elastic(*gone, job);
    job.after = {false, 0, std::max(0.0, gone->silence), gone->one_clock(), gone->hosts, {}};
    job.id = gone->job;
  }
}

}  // namespace ds
