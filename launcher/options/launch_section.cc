#include "launcher/options/launch_section.h"

#include <filesystem>

#include "engine/config/train_config.h"
#include "engine/config/value_rule.h"
#include "topology/base/text.h"

namespace ds {
namespace {

constexpr std::string_view kSection = "launch.";

void add_words(const ConfigKey& key, const ConfigValue& value, std::vector<std::string>& words) {
  std::string option = "--" + key.key.substr(kSection.size());
  if (key.type == "flag") {
    bool good = false;
    if (parse_flag(value.text, good)) words.push_back(option);
  } else if (key.type == "path") {
    words.insert(words.end(), {option, (std::filesystem::path(value.folder) / value.text).lexically_normal().string()});
  } else if (key.type == "list") {
    for (const std::string& item : split(value.text, ','))
      if (!trim(item).empty()) words.insert(words.end(), {option, std::string(trim(item))});
  } else {
    words.insert(words.end(), {option, value.text});
  }
}

}  // namespace

std::vector<std::string> launch_section_words(const TrainConfig& config) {
  std::vector<std::string> words;
  for (const ConfigKey& key : train_config_keys()) {
    auto value = config.values.find(key.key);
    if (key.key.starts_with(kSection) && value != config.values.end() && !value->second.text.empty())
      add_words(key, value->second, words);
  }
  return words;
}

}  // namespace ds
