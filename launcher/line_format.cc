#include "launcher/line_format.h"

namespace ds {
namespace {

std::string time_text(std::time_t now) {
  std::tm parts{};
  char text[64];
  localtime_r(&now, &parts);
  return std::string(text, std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts));
}

}  // namespace

std::string LineFormat::apply(int rank, bool is_stderr, std::string_view data, std::time_t now) const {
  if (plain()) return std::string(data);
  std::string stream = is_stderr ? "<stderr>:" : "<stdout>:", prefix;
  if (timestamp) prefix += time_text(now) + (tag ? "" : stream);
  if (tag) prefix += "[1," + std::to_string(rank) + "]" + stream;
  std::string text;
  while (!data.empty()) {
    size_t end = data.find('\n');
    std::string_view line = data.substr(0, end);
    text.append(prefix).append(line).append("\n");
    data.remove_prefix(end == std::string_view::npos ? data.size() : end + 1);
  }
  return text;
}

}  // namespace ds
