// What this build and this machine have, one row per thing.
#pragma once

#include <string>
#include <vector>

namespace ds {

enum class Presence { kThere, kMissing, kInfo };  // kInfo: neither good nor bad, a number to know

struct ReportRow {
  std::string subject;
  Presence presence = Presence::kInfo;
  std::string detail;
};

// Libraries: libtorch and its CUDA half, Open MPI, PMIx, UCX, our CUDA module, NCCL, CUDA's driver. Those that are no part of the build are opened at run
// time, as the programs would.
std::vector<ReportRow> report_libraries();

// Processors, memory, NUMA, GPUs, network interfaces, io_uring, /dev/shm, limits.
std::vector<ReportRow> report_machine();

}  // namespace ds
