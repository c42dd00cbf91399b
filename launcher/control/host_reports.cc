#include "launcher/control/host_reports.h"

#include "agent/proto/control.pb.h"

namespace ds {

std::optional<int> HostReports::add(int host, const control::HostReport& report) {
  const std::string& machine = (told_[host] = {report.machine(), report.free_port(), report.oom_kills()}).machine;
  for (const auto& [other, facts] : told_)
    if (other != host && !machine.empty() && facts.machine == machine) return other;
  return std::nullopt;
}

int HostReports::free_port(int host) const {
  const auto told = told_.find(host);
  return told == told_.end() ? 0 : static_cast<int>(told->second.free_port);
}

bool HostReports::memory_ran_out(int host, uint64_t now) const {
  const auto told = told_.find(host);
  return told != told_.end() && now > told->second.oom_kills;
}

}  // namespace ds
