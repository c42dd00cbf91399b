#include "agent/oom_kills.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "topology/base/text.h"

namespace ds {

uint64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  return oom_kills_in(std::string((std::istreambuf_iterator<char>(file)), {}));
}

uint64_t oom_kills_in(const std::string& vmstat) {
  std::istringstream words(vmstat);
  std::string name;
  for (uint64_t value = 0; words >> name >> value;)
    if (name == "oom_kill") return value;
  return 0;
}

constexpr std::string_view kLineStart = "dsagent: out-of-memory kills: ";

std::string oom_kills_line(uint64_t kills) {
  return std::string(kLineStart) + std::to_string(kills) + "\n";
}

uint64_t oom_kills_told(std::string_view text) {
  const size_t start = text.find(kLineStart);
  if (start == text.npos) return 0;
  const std::string_view number = text.substr(start + kLineStart.size());
  return static_cast<uint64_t>(std::max<int64_t>(parse_int(number.substr(0, number.find('\n'))).value_or(0), 0));
}

}  // namespace ds
