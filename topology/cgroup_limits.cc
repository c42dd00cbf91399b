#include "topology/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "topology/base/text.h"

namespace ds {
namespace {

// Files of /proc and /sys have no size, so they are read to their end; a missing one is empty.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::string(trim(text.str()));
}

template <typename T>
void tighten(std::optional<T>& limit, const std::optional<T>& other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// "/a/b" -> "/a/b", "/a", "".
std::vector<std::string> with_parents(std::string path) {
  if (path == "/") path.clear();
  std::vector<std::string> paths{path};
  while (!path.empty()) {
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    paths.push_back(path);
  }
  return paths;
}

void read_group(const std::string& mount, const std::string& group, bool unified, CgroupLimits& limits) {
  for (const std::string& path : with_parents(group)) {
    const std::string folder = mount + path;
    if (unified) {
      tighten(limits.memory_bytes, memory_limit(text_of(folder + "/memory.max")));
      tighten(limits.cpus, cpu_limit(text_of(folder + "/cpu.max")));
    } else {
      tighten(limits.memory_bytes, memory_limit(text_of(folder + "/memory.limit_in_bytes")));
      tighten(limits.cpus,
              cpu_limit(text_of(folder + "/cpu.cfs_quota_us") + " " + text_of(folder + "/cpu.cfs_period_us")));
    }
  }
}

}  // namespace

std::optional<uint64_t> memory_limit(std::string_view text) {
  constexpr int64_t kNoMachine = int64_t{1} << 60;
  const auto bytes = parse_int(trim(text));
  if (!bytes || *bytes <= 0 || *bytes >= kNoMachine) return std::nullopt;
  return static_cast<uint64_t>(*bytes);
}

std::optional<int> cpu_limit(std::string_view text) {
  const std::vector<std::string> parts = split(trim(text), ' ');
  if (parts.size() != 2) return std::nullopt;
  const auto quota = parse_int(parts[0]), period = parse_int(parts[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<int>(std::min<int64_t>(*quota / *period + (*quota % *period != 0), 1 << 20));
}

CgroupLimits cgroup_limits(const std::string& root) {
  CgroupLimits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  for (const std::string& line : split(text_of(root + "/proc/self/cgroup"), '\n')) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    read_group(controllers.empty() ? mount : mount + "/" + controllers, line.substr(second + 1), controllers.empty(),
               limits);
  }
  return limits;
}

}  // namespace ds
