#include "launcher/control/host_reports.h"

namespace ds {

std::optional<int> HostReports::add(int host, const std::string& machine, uint32_t free_port) {
  told_[host] = {machine, free_port};
  for (const auto& [other, told] : told_)
    if (other != host && !machine.empty() && told.machine == machine) return other;
  return std::nullopt;
}

int HostReports::free_port(int host) const {
  const auto told = told_.find(host);
  return told == told_.end() ? 0 : static_cast<int>(told->second.free_port);
}

}  // namespace ds
