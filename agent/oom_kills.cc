#include "agent/oom_kills.h"

#include <fstream>
#include <iterator>
#include <sstream>

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

}  // namespace ds
