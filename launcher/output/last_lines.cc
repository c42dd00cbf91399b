#include "launcher/output/last_lines.h"

#include <utility>

namespace ds {
namespace {

// Where the last `count` lines begin.
std::string_view tail(std::string_view data, size_t count) {
  size_t start = data.ends_with('\n') ? data.size() - 1 : data.size();
  while (start > 0 && count > 0) {
    const size_t newline = data.rfind('\n', start - 1);
    start = newline == std::string_view::npos ? 0 : newline;
    --count;
  }
  return data.substr(start > 0 ? start + 1 : 0);
}

}  // namespace

void LastLines::add(std::string_view data) {
  const std::string_view kept = data.empty() ? data : tail(data, kLines);
  open_ = open_ && kept.size() == data.size();
  data = kept;
  while (!data.empty()) {
    const size_t end = data.find('\n');
    if (!std::exchange(open_, end == std::string_view::npos)) lines_.emplace_back();
    lines_.back() += data.substr(0, end).substr(0, kLineBytes - lines_.back().size());
    if (lines_.size() > kLines) lines_.pop_front();
    data.remove_prefix(end == std::string_view::npos ? data.size() : end + 1);
  }
}

std::string LastLines::text() const {
  std::string text;
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

}  // namespace ds
