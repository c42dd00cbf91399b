#include "launcher/options/app_file.h"

#include "launcher/options/option_scan.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {

std::vector<AppLine> app_lines(const std::string& text, const std::string& file) {
  std::vector<AppLine> lines;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line)[0] == '#') continue;
    const std::string where = file + ":" + std::to_string(number);
    lines.push_back({where, shell_words(line, where)});
  }
  if (lines.empty())
    throw Error(ErrorCode::kUsage,
                "option --app=" + file + ": must name a file with programs, one a line: it has none");
  return lines;
}

}  // namespace ds
