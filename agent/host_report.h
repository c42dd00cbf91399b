// What this host has, and whether it sees the files a job needs.
#pragma once

#include <string>

namespace ds {

namespace control {
class CheckPaths;
class HostReport;
class PathReport;
}  // namespace control

control::HostReport report_host();  // throws kInternal
control::PathReport check_paths(const control::CheckPaths& wanted, const std::string& host_name);

std::string cpu_flags();  // of the first CPU in /proc/cpuinfo; "" if unknown

}  // namespace ds
