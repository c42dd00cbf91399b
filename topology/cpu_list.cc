#include "topology/cpu_list.h"

#include <algorithm>

#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

[[noreturn]] void fail(std::string_view text, const std::string& cause) {
  throw Error(ErrorCode::kUsage, "cpu list '" + std::string(text) + "': " + cause);
}

int cpu_number(std::string_view part, std::string_view text) {
  const auto number = parse_int(trim(part));
  if (!number || *number < 0 || *number > kMaxCpu)
    fail(text, "'" + std::string(part) + "' is not a CPU number from 0 to " + std::to_string(kMaxCpu));
  return static_cast<int>(*number);
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  std::vector<bool> taken(kMaxCpu + 1);
  for (const std::string& part : split(text, ',')) {
    const auto dash = part.find('-', 1);
    const int low = cpu_number(std::string_view(part).substr(0, dash), text);
    const int high = dash == std::string::npos ? low : cpu_number(std::string_view(part).substr(dash + 1), text);
    if (high < low) fail(text, "range '" + part + "' runs backwards");
    for (int cpu = low; cpu <= high; ++cpu) {
      if (taken[static_cast<size_t>(cpu)]) fail(text, "CPU " + std::to_string(cpu) + " is listed twice");
      taken[static_cast<size_t>(cpu)] = true;
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    parts.push_back(std::to_string(cpus[i]) + (last > i ? "-" + std::to_string(cpus[last]) : ""));
    i = last + 1;
  }
  return join(parts, ",");
}

}  // namespace ds
