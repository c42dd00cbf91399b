// What a control group allows this process: memory and processor time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ds {

struct CgroupLimits {
  std::optional<uint64_t> memory_bytes{};
  std::optional<int> cpus{};  // processor time as whole CPUs, rounded up
};

// Text of memory.max or memory.limit_in_bytes; "max" and values beyond any machine are no limit.
std::optional<uint64_t> memory_limit(std::string_view text);

// Text of cpu.max, "200000 100000" or "max 100000"; of cgroup v1 the two files joined by a blank.
std::optional<int> cpu_limit(std::string_view text);

// The tightest limits of the groups of this process and all above it; `root` stands for "/" (tests). What cannot be
// read is no limit.
CgroupLimits cgroup_limits(const std::string& root = "");

}  // namespace ds
