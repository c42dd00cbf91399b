#include "agent/output_lines.h"

#include <utility>

namespace ds {

std::string OutputLines::feed(std::string_view bytes) {
  const auto last = bytes.rfind('\n');
  if (last == std::string_view::npos) {
    partial_ += bytes;
    return partial_.size() > kLongestLine ? std::exchange(partial_, {}) : std::string();
  }
  std::string lines = std::exchange(partial_, std::string(bytes.substr(last + 1)));
  lines += bytes.substr(0, last + 1);
  return lines;
}

std::string OutputLines::rest() { return std::exchange(partial_, {}); }

}  // namespace ds
