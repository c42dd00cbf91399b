#include "launcher/records/job_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "launcher/records/file_age.h"
#include "launcher/records/private_file.h"
#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"
#include "topology/base/hex.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

constexpr double kSilent = 360;  // a launcher elsewhere that lives touches its file every second; clocks may differ
constexpr double kKept = 24 * 3600.0;  // files of launchers that may have left something, or that cannot be asked

std::string path_of(const std::string& folder, const std::string& job) { return folder + "/" + job + ".json"; }

std::string to_json(const JobFile& file) {
  nlohmann::ordered_json json;
  json["job"] = file.job;
  json["name"] = file.name;
  json["output"] = file.output;
  json["host"] = file.host;
  json["key"] = to_hex(file.key);
  json["addresses"] = file.addresses;
  json["port"] = file.port;
  json["pid"] = file.pid;
  json["start_ticks"] = file.start_ticks;
  if (file.handover) json["handover"] = to_json(*file.handover);
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<JobFile> from_json(const std::string& path) {
  try {
    const nlohmann::json json = nlohmann::json::parse(read_file(path));
    JobFile file{json.at("job"),  json.at("name"),      json.at("output"), json.at("host"), from_hex(json.at("key")),
                 json.at("addresses"), json.at("port"), json.at("pid"),    json.at("start_ticks")};
    if (json.contains("handover")) file.handover = handover_of_json(json.at("handover"));
    file.silence = seconds_since_written(path);
    return file;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string canonical(const std::string& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result.string();
}

std::string names_of(const std::vector<JobFile>& files) {
  std::vector<std::string> names;
  for (const JobFile& file : files)
    names.push_back(file.job + " on " + file.host + (file.output.empty() ? "" : " (" + file.output + ")"));
  return join(names, ", ");
}

}  // namespace

std::string job_file_folder() {
  // The XDG rules: a path that is not absolute is to be ignored.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
    return std::string(state) + "/dslaunch";
  const char* home = std::getenv("HOME");
  return home && *home ? std::string(home) + "/.local/state/dslaunch" : "";
}

void write_job_file(const std::string& folder, const JobFile& file) {
  write_private_file(path_of(folder, file.job), to_json(file));
}

void touch_job_file(const std::string& folder, const std::string& job) { touch_file(path_of(folder, job)); }

void remove_job_file(const std::string& folder, const std::string& job) { ::unlink(path_of(folder, job).c_str()); }

std::vector<JobFile> read_job_files(const std::string& folder) {
  std::vector<JobFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      if (std::optional<JobFile> file = from_json(entry.path())) files.push_back(std::move(*file));
  return files;
}

long start_ticks_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;  // has ended; in containers often nobody takes notice
  for (int number = 4; number <= 22; ++number) fields >> field;
  return std::atol(field.c_str());
}

std::optional<bool> is_running(const JobFile& file) {
  if (file.host != this_host_name()) return std::nullopt;
  long ticks = start_ticks_of(file.pid);
  return ticks != 0 && ticks == file.start_ticks;
}

JobFile find_job(const std::string& folder, const std::string& job) {
  std::vector<JobFile> running, matching;
  for (JobFile& file : read_job_files(folder)) {
    const std::optional<bool> known = is_running(file);
    if (known.value_or(file.silence < kSilent)) running.push_back(file);
    else if ((known && !file.handover) || file.silence > kKept) remove_job_file(folder, file.job);
  }
  for (const JobFile& file : running)
    if (job.empty() || file.job == job || (!file.output.empty() && canonical(job) == canonical(file.output)))
      matching.push_back(file);
  // A launcher on another host that was killed leaves its file, which looks alive for some minutes.
  std::vector<JobFile> here;
  for (const JobFile& file : matching)
    if (file.host == this_host_name()) here.push_back(file);
  if (here.size() == 1) return here[0];
  if (matching.size() == 1) return matching[0];
  std::string all = running.empty() ? "; no job is running" : "; running: " + names_of(running);
  if (matching.empty())
    throw Error(ErrorCode::kUsage, job.empty() ? "no job is running" : "no running job " + job + all);
  throw Error(ErrorCode::kUsage, "several jobs are running, name one: " + names_of(matching));
}

}  // namespace ds
