#include "launcher/records/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "launcher/records/file_age.h"
#include "launcher/plan/job_identity.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".dslaunch.lock";

nlohmann::json parse_line(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

int number_in(const nlohmann::json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return 0;
  return json[key].get<int>();
}

bool has_two_lines(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && std::getline(file, line) && !line.empty();
}

int last_generation_of(const std::string& folder) {
  int last = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder + "/logs", error))
    if (std::optional<int64_t> number = parse_int(entry.path().filename().string()))
      last = std::max<int>(last, *number);
  std::istringstream events(read_file_if_there(folder + "/events.jsonl").value_or(""));
  for (std::string line; std::getline(events, line);) last = std::max(last, number_in(parse_line(line), "generation"));
  return last;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  if (!file.flush()) throw Error(ErrorCode::kUsage, "output: cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

std::string job_json_path(const std::string& folder) { return folder + "/job.json"; }

OutputContents inspect_output(const std::string& folder) {
  OutputContents contents;
  std::error_code error;
  contents.has_metrics = has_two_lines(folder + "/metrics.csv");
  for (const auto& entry : fs::directory_iterator(folder + "/checkpoints", error))
    if (entry.exists(error)) contents.has_checkpoints = true;
  const nlohmann::json json = parse_line(read_file_if_there(job_json_path(folder)).value_or(""));
  if (json.is_object() && json.contains("name") && json["name"].is_string()) contents.job_name = json["name"];
  contents.last_generation = std::max(last_generation_of(folder), number_in(json, "generation"));
  std::string latest(trim(first_line(folder + "/checkpoints/latest")));
  if (latest.starts_with("step"))
    if (std::optional<int64_t> step = parse_int(latest.substr(4))) contents.latest_step = *step;
  return contents;
}

std::string resume_problem(const OutputContents& contents, const std::string& folder, const std::string& resume,
                           const std::string& name) {
  if (contents.empty()) return "";
  if (resume == "never")
    return "output=" + folder + " already has " + (contents.has_metrics ? "metrics" : "checkpoints") +
           " and checkpoint.resume=never: choose another output, or resume = auto to go on";
  if (!contents.job_name.empty() && contents.job_name != name)
    return "output=" + folder + " belongs to job.name=" + contents.job_name + ", this job is " + name +
           ": choose another output";
  return "";
}

std::unique_ptr<OutputFolder> OutputFolder::lock(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::kUsage, "output: cannot make folder " + folder + ": " + error.message());
  std::string path = folder + "/" + kLockName;
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) throw Error(ErrorCode::kUsage, "output: cannot write " + path + ": " + std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    std::string holder = first_line(path);
    ::close(fd);
    throw Error(ErrorCode::kUsage, "output: folder is used by a running job: output=" + folder + ": " +
                                       (holder.empty() ? "unknown job" : holder));
  }
  return std::unique_ptr<OutputFolder>(new OutputFolder(folder, fd));
}

OutputFolder::~OutputFolder() {
  if (!token_path_.empty()) ::unlink(token_path_.c_str());
  ::close(fd_);
}

void OutputFolder::name_holder(const std::string& job) {
  std::string text = "job " + job + ", pid " + std::to_string(::getpid()) + " on " + this_host_name() + "\n";
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, text.data(), text.size(), 0) < 0)
    throw Error(ErrorCode::kUsage, "output: cannot write to " + path_ + ": " + std::strerror(errno));
}

std::string OutputFolder::write_token(const std::string& job, const std::string& token) {
  token_path_ = path_ + "/.token-" + job;
  write_whole(token_path_, token);
  return token_path_;
}

void OutputFolder::write_job(const std::string& json) {
  std::string path = job_json_path(path_), temporary = path + ".tmp";
  write_whole(temporary, json + "\n");
  std::error_code error;
  fs::rename(temporary, path, error);
}

void OutputFolder::touch_job() { touch_file(job_json_path(path_)); }

}  // namespace ds
