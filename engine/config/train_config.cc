#include "engine/config/train_config.h"

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <filesystem>

#include "engine/config/train_keys.h"
#include "engine/config/train_options.h"
#include "engine/config/train_scan.h"
#include "engine/config/value_rule.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSuggestions = 30;  // of a nearest key; a file of another kind would need one a line

std::string absolute(const std::string& folder, const std::string& path) {
  fs::path full = (fs::path(folder) / path).lexically_normal();
  if (!full.has_filename() && full.has_relative_path()) full = full.parent_path();
  return full.string();
}

std::vector<std::string> list_items(const std::string& text) {
  std::vector<std::string> items;
  for (const auto& part : split(text, ','))
    if (!trim(part).empty()) items.emplace_back(trim(part));
  return items;
}

// The value as it means the same wherever the file lies: absolute paths, plain flags.
std::string settled(const TrainKey& row, const ConfigValue& value) {
  const std::string_view type = row.type;
  const auto words = words_of(row.allowed);
  if (std::find(words.begin(), words.end(), value.text) != words.end()) return value.text;
  if (type == "path") return absolute(value.folder, value.text);
  if (type == "flag") {
    bool good = false;
    return parse_flag(value.text, good) ? "true" : "false";
  }
  if (type != "paths") return value.text;
  std::error_code error;
  if (fs::exists(absolute(value.folder, value.text), error)) return absolute(value.folder, value.text);
  std::vector<std::string> paths;
  for (const auto& part : list_items(value.text)) paths.push_back(absolute(value.folder, part));
  return join(paths, ", ");
}

std::string not_yet(const TrainKey& row, const std::string& text) {
  const std::string_view later = row.later;
  const auto words = split(later, '|');
  const bool named = std::find(words.begin(), words.end(), text) != words.end();
  const bool other = later == "*" && text != row.fallback;
  if (later.empty() || (!named && !other)) return "";
  return "not supported yet; supported: " + std::string(*row.allowed && later != "*" ? row.allowed : row.fallback);
}

// What cannot stand in a line of train.cfg, and so could not be sent to the ranks.
std::string unwritable(const std::string& text) {
  if (text.find_first_of("\n\r") != std::string::npos) return "must be one line";
  if (text.starts_with('#') || text.find(" #") != std::string::npos || text.find("\t#") != std::string::npos)
    return "holds a blank and '#', which starts a comment in train.cfg";
  return "";
}

// What a line of train.cfg would lose of settled paths: blanks at their ends ("a /.."), and everything of a lone comma.
std::string lost_in_paths(const TrainKey& row, const std::string& text) {
  const std::string_view type = row.type;
  if (type != "path" && type != "paths") return "";
  if (text.empty()) return "has no value";
  for (const auto& path : type == "paths" ? split(text, ',') : std::vector{text})
    if (!path.empty() && trim(path.substr(path.size() - 1)).empty()) return "the path ends in a blank";
  return "";
}

class Reader {
 public:
  Reader(const std::string& path, TrainConfig& config) : path_(path), config_(config), options_(train_options()) {}

  void read_file() {
    const std::string folder = fs::absolute(path_).parent_path().string();
    for (const auto& line : scan_train_config(ds::read_file(path_), path_, problems)) {
      const std::string where = path_ + ":" + std::to_string(line.line);
      const auto [slot, added] =
          config_.values.try_emplace(line.key, ConfigValue{line.value, where, folder, line.line});
      if (!added) problem(where, line.key, "is repeated, first in " + slot->second.where);
    }
  }

  void apply(const std::vector<std::pair<std::string, std::string>>& overrides) {
    for (const auto& [key, text] : overrides)
      config_.values[key] = {std::string(trim(text)), "option --" + key, fs::current_path().string()};
  }

  void check_all() {
    std::vector<std::pair<const std::string, ConfigValue>*> in_order;
    for (auto& entry : config_.values) in_order.push_back(&entry);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](auto* a, auto* b) { return a->second.line < b->second.line; });
    for (auto* entry : in_order) check(entry->first, entry->second);
    for (const char* needed : {"model.config", "data.train"})
      if (!config_.has(needed)) problem(path_, needed, "is missing and has no default");
    if (config_.has("train.steps") && config_.has("train.epochs"))
      problem(config_.values.at("train.epochs").where, "train.epochs",
              "contradicts train.steps (" + config_.values.at("train.steps").where + "): give one of them");
  }

  void add_defaults() {
    const std::string folder = fs::absolute(path_).parent_path().string();
    config_.values.try_emplace("job.name", ConfigValue{fs::path(path_).stem().string(), "default", folder});
    const std::string output = absolute(folder, "runs/" + config_.text("job.name"));
    config_.values.try_emplace("job.output", ConfigValue{output, "default", folder});
  }

  void read_ds_config() {
    if (!config_.has("train.deepspeed_config")) return;
    config_.ds_config_path = config_.text("train.deepspeed_config");
    if (config_.ds_config_path.empty()) return;
    try {
      config_.ds_config_text = ds::read_file(config_.ds_config_path);
    } catch (const Error& error) {
      problem(config_.values.at("train.deepspeed_config").where, "train.deepspeed_config", error.what());
    }
  }

  std::vector<std::string> problems;

 private:
  void problem(const std::string& where, const std::string& key, const std::string& why) {
    problems.push_back(where + ": " + key + ": " + why);
  }

  void check(const std::string& key, ConfigValue& value) {
    const TrainKey* row = find_train_key(key);
    if (options_.find_nothrow(key, false) == nullptr || row == nullptr) {
      problem(value.where, key, "unknown key" + nearest_key(key));
      return;
    }
    const std::string subject = key + "=" + value.text;
    std::string wrong = not_yet(*row, value.text);
    if (wrong.empty()) wrong = unwritable(value.text);
    if (wrong.empty() && value.text.empty() && std::string_view(row->type) != "list") wrong = "has no value";
    if (wrong.empty()) wrong = value_problem(row->type, row->allowed, value.text);
    const std::string text = wrong.empty() ? settled(*row, value) : "";
    if (wrong.empty()) wrong = lost_in_paths(*row, text);
    if (wrong.empty())
      value.text = text;
    else
      problems.push_back(value.where + ": " + subject + ": " + wrong);
  }

  std::string nearest_key(const std::string& key) const {
    if (problems.size() >= kMaxSuggestions) return "";
    std::vector<std::string> names, last_parts;
    const std::string last = split(key, '.').back();
    for (const auto& row : train_keys()) {
      names.emplace_back(row.key);
      if (split(row.key, '.').back() == last) return "; nearest: " + names.back();
      last_parts.push_back(split(row.key, '.').back());
    }
    std::string near = nearest(key, names);
    if (near.empty()) near = nearest(last, last_parts);
    return near.empty() ? "" : "; nearest: " + near;
  }

  std::string path_;
  TrainConfig& config_;
  boost::program_options::options_description options_;
};

}  // namespace

std::string TrainConfig::text(const std::string& key, const std::string& fallback) const {
  const auto found = values.find(key);
  return found == values.end() ? fallback : found->second.text;
}

std::string TrainConfig::resolved_text(const std::string& ds_config_path) const {
  std::string out, open;
  for (const auto& [key, value] : values) {
    const size_t dot = key.find('.');
    const std::string section = key.substr(0, dot);
    if (section != open) out += (out.empty() ? "[" : "\n[") + section + "]\n";
    open = section;
    const bool json = key == "train.deepspeed_config";
    out += key.substr(dot + 1) + " = " + (json ? ds_config_path : value.text) + "\n";
  }
  return out;
}

TrainConfig load_train_config(const std::string& path,
                              const std::vector<std::pair<std::string, std::string>>& overrides) {
  TrainConfig config;
  config.path = fs::absolute(path).lexically_normal().string();
  config.ds_config_text = "{}";
  Reader reader(path, config);
  reader.read_file();
  reader.apply(overrides);
  reader.check_all();
  if (reader.problems.empty()) reader.add_defaults();
  reader.read_ds_config();
  throw_if_any("", reader.problems);
  return config;
}

}  // namespace ds
