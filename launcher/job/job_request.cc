#include "launcher/job/job_request.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "launcher/output/console.h"
#include "launcher/job/job_client.h"
#include "launcher/records/job_file.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr std::chrono::seconds kAnswerLimit{10};

// job.json of a folder; "" when there is none. Nobody answers for it here: its job has ended, or its launcher was killed, or
// belongs to another host or home.
std::string finished_job(const std::string& folder) {
  return read_file_if_there(folder + "/job.json").value_or("");
}

std::string finished_text(const std::string& json_text) {
  nlohmann::json json = nlohmann::json::parse(json_text, nullptr, false);
  if (!json.is_object()) return json_text;
  std::string state = json.value("state", "?"), text = json.value("id", "?") + "  " + state;
  if (state != "finished" && state != "failed" && state != "stopped")
    text += ", says its folder; its launcher, pid " + json.value("pid", nlohmann::json("?")).dump() +
            ", is gone or not known here";
  if (json.contains("step")) text += "  step " + json["step"].dump();
  if (json.contains("exit_code")) text += "  exit code " + json["exit_code"].dump();
  if (json.contains("reason")) text += "\n  " + json.value("reason", "");
  return text + "\n";
}

}  // namespace

int status_command(const Options& options, Console& console) {
  std::string past = options.job.empty() ? "" : finished_job(options.job);
  std::optional<JobFile> running;
  try {
    running = find_job(job_file_folder(), options.job);
  } catch (const Error&) {
    if (past.empty()) throw;
  }
  if (!running) {
    console.out(options.json ? past : finished_text(past));
    return 0;
  }
  std::vector<std::string> arguments;
  if (options.json) arguments.push_back("json");
  JobAnswer answer = ask_job(*running, "status", arguments, kAnswerLimit);
  console.out(answer.text + "\n");
  return answer.exit_code;
}

int stop_command(const Options& options, Console& console) {
  JobFile file = find_job(job_file_folder(), options.job);
  JobAnswer answer = ask_job(file, options.checkpoint ? "stop-checkpoint" : "stop", {}, kAnswerLimit, true);
  if (answer.exit_code == 0) console.out("job " + file.job + " has stopped\n");
  else console.error(answer.text);
  return answer.exit_code;
}

}  // namespace ds
