// What this host has, and whether it sees the files a job needs.
#pragma once

#include <string>

#include "agent/free_port.h"

namespace ds {

namespace control {
class CheckPaths;
class HostReport;
class PathReport;
}  // namespace control

// Addresses of `interface` ("eth0", "10.0.0.0/8"; "" = no wish) come first. Throws kInternal, and kUsage when no address is
// in it, naming what there is.
control::HostReport report_host(const std::string& interface, const PortRange& ports);
control::PathReport check_paths(const control::CheckPaths& wanted, const std::string& host_name);

std::string cpu_flags();  // of the first CPU in /proc/cpuinfo; "" if unknown

}  // namespace ds
