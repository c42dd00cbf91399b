#include "engine/checkpoint/step_folders.h"

#include <algorithm>
#include <filesystem>

#include "engine/checkpoint/checkpoint.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLatest = "latest";

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

// "step12.tmp-ab" with mark ".tmp-" -> "step12"; "" when the name is not of that form.
std::string before_mark(const std::string& name, const std::string& mark) {
  const size_t at = name.find(mark);
  const std::string base = at == std::string::npos ? "" : name.substr(0, at);
  return step_of(base) ? base : "";
}

// The folder of a step whose name is free because a save crashed while replacing it.
std::string moved_aside(const std::string& folder, const std::string& step) {
  for (const std::string& name : names_in(folder))
    if (before_mark(name, ".old-") == step && completeness_problems(folder + "/" + name).empty())
      return folder + "/" + name;
  return "";
}

bool is_checkpoints_folder(const std::string& path) {
  if (fs::exists(path + "/" + kLatest)) return true;
  const auto names = names_in(path);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return step_of(name) || !before_mark(name, ".old-").empty(); });
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::string step_name(int64_t step) { return "step" + std::to_string(step); }

std::optional<int64_t> step_of(const std::string& name) {
  if (!name.starts_with("step")) return std::nullopt;
  const auto step = parse_int(std::string_view(name).substr(4));
  return step && *step >= 0 && step_name(*step) == name ? step : std::nullopt;
}

std::vector<int64_t> steps_in(const std::string& folder) {
  std::vector<int64_t> steps;
  for (const std::string& name : names_in(folder))
    if (const auto step = step_of(name); step && fs::is_directory(folder + "/" + name)) steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::string read_latest(const std::string& folder) {
  const std::string path = folder + "/" + kLatest;
  if (!fs::is_regular_file(path)) return "";
  const std::string name(trim(read_file(path)));
  return step_of(name) ? name : "";
}

Manifest load_manifest(const std::string& step_folder) {
  const std::string path = step_folder + "/" + kManifestName;
  if (!fs::is_regular_file(path)) throw Error(ErrorCode::kCorrupt, "checkpoint: " + path + ": missing");
  return parse_manifest(read_file(path), path);
}

std::vector<std::string> completeness_problems(const std::string& step_folder) {
  try {
    CheckpointReader reader(step_folder);
    return {};
  } catch (const Error& error) {
    return {error.what()};
  }
}

std::string newest_checkpoint(const std::string& folder) {
  const std::string latest = read_latest(folder);
  if (!latest.empty()) {
    if (fs::is_directory(folder + "/" + latest)) return folder + "/" + latest;
    if (const std::string aside = moved_aside(folder, latest); !aside.empty()) return aside;
  }
  std::vector<std::string> problems;
  const std::vector<int64_t> steps = steps_in(folder);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::string candidate = folder + "/" + step_name(*step);
    const auto found = completeness_problems(candidate);
    if (found.empty()) return candidate;
    problems.insert(problems.end(), found.begin(), found.end());
  }
  if (!problems.empty())
    throw Error(ErrorCode::kCorrupt,
                "checkpoint: " + folder + ": no step folder is complete:\n" + join(problems, "\n"));
  if (fs::exists(folder + "/" + kLatest))
    throw Error(ErrorCode::kCorrupt, "checkpoint: " + folder + "/latest: names " +
                                         (latest.empty() ? "no step" : latest + ", which is not there") +
                                         ", and no complete step folder is there");
  return "";
}

std::string resolve_checkpoint(const std::string& given) {
  const std::string path = without_trailing_slash(given);
  if (!fs::is_directory(path)) throw Error(ErrorCode::kUsage, "checkpoint: " + path + ": no such folder");
  if (fs::exists(path + "/" + kManifestName)) return path;
  for (const std::string& folder : {path, path + "/checkpoints"})
    if (is_checkpoints_folder(folder))
      if (const std::string newest = newest_checkpoint(folder); !newest.empty()) return newest;
  if (step_of(fs::path(path).filename().string())) return path;  // a damaged one: its reader says what is missing
  throw Error(
      ErrorCode::kUsage,
      "checkpoint: " + path + ": neither a step folder, nor a `checkpoints` folder, nor an output folder with one");
}

std::string resolve_checkpoints_folder(const std::string& given) {
  const std::string path = without_trailing_slash(given);
  if (is_checkpoints_folder(path)) return path;
  if (is_checkpoints_folder(path + "/checkpoints")) return path + "/checkpoints";
  return fs::path(resolve_checkpoint(fs::absolute(path).lexically_normal().string())).parent_path().string();
}

void clean_leftovers(FileSystem& files, const std::string& folder) {
  for (const std::string& name : names_in(folder)) {
    const std::string old = before_mark(name, ".old-");
    if (!old.empty() && !fs::exists(folder + "/" + old) && moved_aside(folder, old) == folder + "/" + name)
      files.rename(folder + "/" + name, folder + "/" + old);
  }
  for (const std::string& name : names_in(folder))
    if (!before_mark(name, ".tmp-").empty() || !before_mark(name, ".old-").empty() || name.starts_with("latest.tmp-"))
      files.remove_all(folder + "/" + name);
}

void remove_step(FileSystem& files, const std::string& folder, int64_t step, const std::string& suffix) {
  const std::string name = folder + "/" + step_name(step);
  files.rename(name, name + ".tmp-" + suffix);
  files.remove_all(name + ".tmp-" + suffix);
}

std::vector<int64_t> steps_to_prune(const std::vector<int64_t>& complete_steps, int64_t newest, int64_t keep,
                                    const std::string& latest) {
  std::vector<int64_t> older;
  for (int64_t step : complete_steps)
    if (step < newest && step_name(step) != latest) older.push_back(step);
  std::sort(older.begin(), older.end());
  const size_t stay = keep <= 0 ? older.size() : std::min<size_t>(older.size(), static_cast<size_t>(keep - 1));
  older.resize(older.size() - stay);
  return older;
}

}  // namespace ds
