// The GPUs of this host, asked of the driver's library, which is opened at run time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ds {

struct GpuSurvey {
  std::vector<std::string> uuids{};  // "GPU-...", in the driver's order
  std::vector<std::string> bus_ids{};            // PCI address of each, "00000000:3B:00.0"; "" = not told
  std::vector<std::vector<int>> nvlinks{};       // links between each two; empty = none, or the driver does not tell
  std::string absence{};             // why there are none: library missing, driver not answering; empty with GPUs
};

// Never throws; a host without the library or driver has no GPUs. `library` is replaced in tests.
GpuSurvey survey_gpus(const std::string& library = "libnvidia-ml.so.1");

// The tokens that CUDA_VISIBLE_DEVICES leaves of the devices: all indices when it is not set; else its entries up to the
// first one that names no device (as CUDA reads it); indices, "GPU-..." (also shortened) and "MIG-..." stay as written.
std::vector<std::string> visible_gpus(const std::vector<std::string>& uuids,
                                      const std::optional<std::string>& visible_devices);

// Which device each of such tokens names; -1 for a MIG device.
std::vector<int> devices_of(const std::vector<std::string>& uuids, const std::vector<std::string>& tokens);

}  // namespace ds
