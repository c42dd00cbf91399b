#include "topology/discover_nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "topology/base/text.h"
#include "topology/gpu_links.h"

namespace ds {
namespace {

// The few functions that are used, by NVML's published signatures; a result of 0 means success.
using DeviceHandle = void*;
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, DeviceHandle*) = nullptr;
  int (*uuid)(DeviceHandle, char*, unsigned) = nullptr;
  // Older or smaller drivers lack these.
  int (*pci)(DeviceHandle, PciInfo*) = nullptr;
  int (*link_state)(DeviceHandle, unsigned, unsigned*) = nullptr;
  int (*link_remote)(DeviceHandle, unsigned, PciInfo*) = nullptr;
};

template <typename F>
bool load(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

bool load_all(void* library, Nvml& nvml) {
  load(library, "nvmlDeviceGetPciInfo_v3", nvml.pci);
  if (!load(library, "nvmlDeviceGetNvLinkState", nvml.link_state) ||
      !load(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", nvml.link_remote))
    nvml.link_state = nullptr;
  return load(library, "nvmlInit_v2", nvml.init) && load(library, "nvmlShutdown", nvml.shutdown) &&
         load(library, "nvmlDeviceGetCount_v2", nvml.count) &&
         load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle) && load(library, "nvmlDeviceGetUUID", nvml.uuid);
}

std::string bus_id_of(const Nvml& nvml, DeviceHandle device) {
  PciInfo pci{};
  const bool told = nvml.pci && nvml.pci(device, &pci) == 0;
  return told ? std::string(pci.bus_id, strnlen(pci.bus_id, sizeof pci.bus_id)) : "";
}

// PCI addresses of what is at the other end of each active link.
std::vector<std::string> link_ends(const Nvml& nvml, DeviceHandle device) {
  constexpr unsigned kMostLinks = 18;
  std::vector<std::string> ends;
  for (unsigned link = 0; nvml.link_state && link < kMostLinks; ++link) {
    unsigned active = 0;
    PciInfo pci{};
    if (nvml.link_state(device, link, &active) != 0 || !active || nvml.link_remote(device, link, &pci) != 0) continue;
    ends.emplace_back(pci.bus_id, strnlen(pci.bus_id, sizeof pci.bus_id));
  }
  return ends;
}

void read_devices(const Nvml& nvml, GpuSurvey& survey) {
  unsigned count = 0;
  if (nvml.count(&count) != 0) return;
  std::vector<std::vector<std::string>> ends;
  for (unsigned i = 0; i < count; ++i) {
    DeviceHandle device = nullptr;
    std::array<char, 96> uuid{};
    const bool known = nvml.handle(i, &device) == 0 && nvml.uuid(device, uuid.data(), uuid.size()) == 0;
    survey.uuids.emplace_back(known ? uuid.data() : "");  // a device that does not answer keeps its index
    survey.bus_ids.push_back(known ? bus_id_of(nvml, device) : "");
    ends.push_back(known ? link_ends(nvml, device) : std::vector<std::string>{});
  }
  survey.nvlinks = link_counts(survey.bus_ids, ends);
}

bool names_device(const std::string& token, const std::vector<std::string>& uuids) {
  if (const auto index = parse_int(token)) return *index >= 0 && *index < static_cast<int64_t>(uuids.size());
  if (token.starts_with("MIG-")) return true;
  const auto begins = [&](const std::string& uuid) { return uuid.starts_with(token); };
  return token.starts_with("GPU-") && std::count_if(uuids.begin(), uuids.end(), begins) == 1;
}

}  // namespace

GpuSurvey survey_gpus(const std::string& library) {
  const std::unique_ptr<void, int (*)(void*)> handle(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL),
                                                     [](void* open) { return open ? dlclose(open) : 0; });
  GpuSurvey survey;
  Nvml nvml;
  if (!handle) {
    survey.absence = "no " + library;
  } else if (!load_all(handle.get(), nvml)) {
    survey.absence = library + " is too old";
  } else if (const int error = nvml.init(); error != 0) {
    survey.absence = "the GPU driver does not answer (NVML error " + std::to_string(error) + ")";
  } else {
    read_devices(nvml, survey);
    nvml.shutdown();
    if (survey.uuids.empty()) survey.absence = "the driver knows no GPU";
  }
  return survey;
}

std::vector<std::string> visible_gpus(const std::vector<std::string>& uuids,
                                      const std::optional<std::string>& visible_devices) {
  std::vector<std::string> tokens;
  if (!visible_devices) {
    for (size_t i = 0; i < uuids.size(); ++i) tokens.push_back(std::to_string(i));
    return tokens;
  }
  if (uuids.empty()) return tokens;
  for (const std::string& part : split(*visible_devices, ',')) {
    std::string token(trim(part));
    if (!names_device(token, uuids) || std::find(tokens.begin(), tokens.end(), token) != tokens.end()) break;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::vector<int> devices_of(const std::vector<std::string>& uuids, const std::vector<std::string>& tokens) {
  std::vector<int> devices;
  for (const std::string& token : tokens) {
    const auto index = parse_int(token);
    const auto named = std::find_if(uuids.begin(), uuids.end(), [&](const std::string& uuid) {
      return token.starts_with("GPU-") && uuid.starts_with(token);
    });
    if (index && *index >= 0 && *index < static_cast<int64_t>(uuids.size()))
      devices.push_back(static_cast<int>(*index));
    else devices.push_back(named == uuids.end() ? -1 : static_cast<int>(named - uuids.begin()));
  }
  return devices;
}

}  // namespace ds
