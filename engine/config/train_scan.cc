#include "engine/config/train_scan.h"

#include "topology/base/text.h"

namespace ds {

static std::string_view without_comment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return line.substr(0, i);
  return line;
}

static bool plain_name(std::string_view name) {
  for (const unsigned char c : name)
    if (c <= ' ' || c == '[' || c == ']' || c == '=' || c == 0x7f) return false;
  return !name.empty();
}

std::vector<ScannedKey> scan_train_config(const std::string& text, const std::string& name,
                                          std::vector<std::string>& problems) {
  std::vector<ScannedKey> found;
  std::string section;
  int number = 0;
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  for (const auto& raw : split(rest, '\n')) {
    ++number;
    const std::string_view line = trim(without_comment(raw));
    const auto problem = [&](const std::string& why) {
      problems.push_back(name + ":" + std::to_string(number) + ": " + why);
    };
    if (line.empty()) continue;
    if (line.find('\0') != std::string_view::npos) {
      problem("holds a zero byte: not a text file");
      continue;
    }
    if (line.front() == '[') {
      const std::string_view inner = line.back() == ']' ? trim(line.substr(1, line.size() - 2)) : "";
      if (!plain_name(inner)) problem("section \"" + std::string(line) + "\": must be [name]");
      section = inner;
      continue;
    }
    const size_t equals = line.find('=');
    const std::string_view key = trim(line.substr(0, equals));
    if (equals == std::string_view::npos || !plain_name(key)) {
      problem("\"" + std::string(line) + "\": must be name = value or [section]");
      continue;
    }
    found.push_back({(section.empty() ? "" : section + ".") + std::string(key),
                     std::string(trim(line.substr(equals + 1))), number});
  }
  return found;
}

}  // namespace ds
