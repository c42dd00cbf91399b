#include "launcher/output/line_format.h"

#include <algorithm>

#include "launcher/output/colour_choice.h"

namespace ds {
namespace {

std::string time_text(std::time_t now) {
  std::tm parts{};
  char text[64];
  localtime_r(&now, &parts);
  return std::string(text, std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts));
}

}  // namespace

std::string with_prefix(const std::string& prefix, std::string_view data) {
  std::string text;
  text.reserve(data.size() + prefix.size() * static_cast<size_t>(std::count(data.begin(), data.end(), '\n') + 1) + 1);
  while (!data.empty()) {
    size_t end = data.find('\n');
    text.append(prefix).append(data.substr(0, end)).append("\n");
    data.remove_prefix(end == std::string_view::npos ? data.size() : end + 1);
  }
  return text;
}

std::string LineFormat::apply(int rank, bool is_stderr, std::string_view data, std::time_t now) const {
  if (plain()) return std::string(data);
  std::string stream = is_stderr ? "<stderr>:" : "<stdout>:", prefix;
  if (timestamp) prefix += time_text(now) + (tag ? "" : stream);
  if (tag) prefix += "[1," + std::to_string(rank) + "]" + stream;
  if (is_stderr ? colour_err : colour_out) prefix = colour_of_rank(rank) + prefix + kColourEnd;
  return with_prefix(prefix, data);
}

}  // namespace ds
