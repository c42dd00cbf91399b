#include "topology/discover_nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>

#include "topology/base/text.h"

namespace ds {
namespace {

// The few functions that are used, by NVML's published signatures; a result of 0 means success.
using DeviceHandle = void*;
struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, DeviceHandle*) = nullptr;
  int (*uuid)(DeviceHandle, char*, unsigned) = nullptr;
};

template <typename F>
bool load(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

bool load_all(void* library, Nvml& nvml) {
  return load(library, "nvmlInit_v2", nvml.init) && load(library, "nvmlShutdown", nvml.shutdown) &&
         load(library, "nvmlDeviceGetCount_v2", nvml.count) && load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle) &&
         load(library, "nvmlDeviceGetUUID", nvml.uuid);
}

std::vector<std::string> read_uuids(const Nvml& nvml) {
  unsigned count = 0;
  std::vector<std::string> uuids;
  if (nvml.count(&count) != 0) return uuids;
  for (unsigned i = 0; i < count; ++i) {
    DeviceHandle device = nullptr;
    std::array<char, 96> uuid{};
    const bool known = nvml.handle(i, &device) == 0 && nvml.uuid(device, uuid.data(), uuid.size()) == 0;
    uuids.emplace_back(known ? uuid.data() : "");  // a device that does not answer keeps its index
  }
  return uuids;
}

bool names_device(const std::string& token, const std::vector<std::string>& uuids) {
  if (const auto index = parse_int(token)) return *index >= 0 && *index < static_cast<int64_t>(uuids.size());
  if (token.starts_with("MIG-")) return true;
  const auto begins = [&](const std::string& uuid) { return uuid.starts_with(token); };
  return token.starts_with("GPU-") && std::count_if(uuids.begin(), uuids.end(), begins) == 1;
}

}  // namespace

GpuSurvey survey_gpus(const std::string& library) {
  const std::unique_ptr<void, int (*)(void*)> handle(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* open) { return open ? dlclose(open) : 0; });
  GpuSurvey survey;
  Nvml nvml;
  if (!handle) {
    survey.absence = "no " + library;
  } else if (!load_all(handle.get(), nvml)) {
    survey.absence = library + " is too old";
  } else if (const int error = nvml.init(); error != 0) {
    survey.absence = "the GPU driver does not answer (NVML error " + std::to_string(error) + ")";
  } else {
    survey.uuids = read_uuids(nvml);
    nvml.shutdown();
    if (survey.uuids.empty()) survey.absence = "the driver knows no GPU";
  }
  return survey;
}

std::vector<std::string> visible_gpus(const std::vector<std::string>& uuids, const std::optional<std::string>& visible_devices) {
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

}  // namespace ds
