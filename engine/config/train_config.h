// train.cfg (interface.md section 2): INI file + `--section.key value` options -> values, strictly.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/settings.h"

namespace ds {

// One value as written, and where: for error messages.
struct ConfigValue {
  std::string text;
  std::string where;   // "train.cfg:12" or "option --train.steps"
  std::string folder;  // what relative paths in it are relative to
  int line = 0;        // of the file; 0 = from elsewhere
};

// All keys given, "section.key" -> value. Text only; types are checked by load_train_config.
using ConfigValues = std::map<std::string, ConfigValue>;

struct TrainConfig {
  std::string path;       // of train.cfg, absolute
  ConfigValues values;
  std::string ds_config_text;  // contents of train.deepspeed_config, "{}" when absent
  std::string ds_config_path;  // for messages

  bool has(const std::string& key) const { return values.count(key) != 0; }
  std::string text(const std::string& key, const std::string& fallback = "") const;
  // An INI text with every path absolute and the DeepSpeed JSON referred to as `ds_config_path`; load_train_config of
  // it gives the same values. What the launcher sends to the ranks, with `ds_config_path` as they will see it.
  std::string resolved_text(const std::string& ds_config_path) const;
};

// One documented key of train.cfg: dstool and --help print this table.
struct ConfigKey {
  std::string key;       // "train.steps"
  std::string type;      // integer | number | flag | word | path | paths | list
  std::string fallback;  // default as text
  std::string allowed;   // "a|b|c", "", or a range in words
  std::string meaning;
};
const std::vector<ConfigKey>& train_config_keys();

// Reads the file and applies overrides ("train.steps", "200"). Throws one kUsage Error with all problems: unknown keys
// with the nearest known one, wrong types and values, repeated keys, contradictions; each with file, line and key.
// The DeepSpeed JSON is read (missing: kUsage naming it) but not interpreted.
TrainConfig load_train_config(const std::string& path,
                              const std::vector<std::pair<std::string, std::string>>& overrides);

// Interprets both files for `world_size` ranks. Throws one kUsage Error with all problems. Reads config.json and looks
// at the data files' existence and sizes, so that everything knowable is refused before a rank starts.
Settings resolve(const TrainConfig& config, int world_size);

}  // namespace ds
