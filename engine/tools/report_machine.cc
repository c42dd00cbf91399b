#include <linux/io_uring.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "engine/tools/report.h"
#include "engine/tools/text_table.h"
#include "topology/base/text.h"
#include "topology/discover_hwloc.h"
#include "topology/discover_nvml.h"

namespace ds {
namespace {

ReportRow io_uring_row() {
  io_uring_params parameters{};
  const long fd = ::syscall(SYS_io_uring_setup, 4, &parameters);
  if (fd < 0) return {"io_uring", Presence::kMissing, std::strerror(errno)};
  ::close(static_cast<int>(fd));
  return {"io_uring", Presence::kThere, "offered by the kernel"};
}

ReportRow shared_memory_row() {
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0) return {"/dev/shm", Presence::kMissing, std::strerror(errno)};
  const auto block = static_cast<int64_t>(status.f_frsize);
  return {"/dev/shm", Presence::kThere,
          bytes_text(static_cast<int64_t>(status.f_blocks) * block) + ", " +
              bytes_text(static_cast<int64_t>(status.f_bavail) * block) + " free"};
}

ReportRow limit_row(const std::string& subject, __rlimit_resource_t resource, bool is_bytes) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return {subject, Presence::kMissing, std::strerror(errno)};
  if (limit.rlim_cur == RLIM_INFINITY) return {subject, Presence::kInfo, "unlimited"};
  const auto value = static_cast<int64_t>(limit.rlim_cur);
  return {subject, Presence::kInfo, is_bytes ? bytes_text(value) : std::to_string(value)};
}

ReportRow gpu_row() {
  const GpuSurvey survey = survey_gpus();
  if (survey.uuids.empty()) return {"GPUs", Presence::kMissing, survey.absence};
  return {"GPUs", Presence::kThere, std::to_string(survey.uuids.size()) + ": " + join(survey.uuids, ", ")};
}

size_t distinct(const std::vector<int>& values) { return std::set<int>(values.begin(), values.end()).size(); }

}  // namespace

std::vector<ReportRow> report_machine() {
  const Host host = discover_host();
  return {{"host", Presence::kInfo, host.name},
          {"cores", Presence::kInfo, std::to_string(host.cores.size()) + " usable"},
          {"NUMA", Presence::kInfo,
           std::to_string(std::max<size_t>(1, distinct(host.numa_of_core))) + " nodes, " +
               std::to_string(std::max<size_t>(1, distinct(host.socket_of_core))) + " sockets"},
          {"memory", Presence::kInfo, bytes_text(static_cast<int64_t>(host.memory_bytes))},
          {"network", host.addresses.empty() ? Presence::kMissing : Presence::kThere,
           host.addresses.empty() ? "no address that another host could reach" : join(host.addresses, ", ")},
          gpu_row(),
          io_uring_row(),
          shared_memory_row(),
          limit_row("locked memory", RLIMIT_MEMLOCK, true),
          limit_row("open files", RLIMIT_NOFILE, false),
          limit_row("processes", RLIMIT_NPROC, false)};
}

}  // namespace ds
