#include "launcher/options/parameter_file.h"

#include "launcher/options/option_scan.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

// Calls `take` for each line that is neither empty nor a comment.
void each_line(const std::string& text, const std::string& file, const auto& take) {
  std::vector<std::string> problems;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string_view content = trim(line);
    if (content.empty() || content[0] == '#') continue;
    const std::string where = file + ":" + std::to_string(number);
    if (const std::string problem = take(content, where); !problem.empty()) problems.push_back(where + ": " + problem);
  }
  throw_if_any("", problems);
}

}  // namespace

std::vector<std::string> tune_file_words(const std::string& text, const std::string& file) {
  std::vector<std::string> all;
  each_line(text, file, [&](std::string_view line, const std::string& where) -> std::string {
    const std::vector<std::string> words = shell_words(std::string(line), where);
    for (size_t i = 0; i < words.size();) {
      const bool variable = words[i] == "-x" || words[i] == "--x",
                 parameter = words[i] == "-mca" || words[i] == "--mca";
      const size_t count = variable ? 2 : 3;
      if (!variable && !parameter) return "must be -x NAME=value or -mca key value, is " + words[i];
      if (i + count > words.size()) return words[i] + " needs " + (variable ? "a value" : "a key and a value");
      all.insert(all.end(), words.begin() + static_cast<long>(i), words.begin() + static_cast<long>(i + count));
      i += count;
    }
    return "";
  });
  return all;
}

std::vector<std::string> am_file_words(const std::string& text, const std::string& file) {
  std::vector<std::string> all;
  each_line(text, file, [&](std::string_view line, const std::string&) -> std::string {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos || trim(line.substr(0, equals)).empty())
      return "must be key = value, is " + std::string(line);
    all.insert(all.end(),
               {"--mca", std::string(trim(line.substr(0, equals))), std::string(trim(line.substr(equals + 1)))});
    return "";
  });
  return all;
}

}  // namespace ds
