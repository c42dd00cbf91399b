#include "cuda/loader.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace ds {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFileName = "libdslaunch_cuda.so";

const DsCudaModule* table_of(void* library) {
  const auto function = reinterpret_cast<DsCudaModuleFunction>(dlsym(library, DS_CUDA_MODULE_SYMBOL));
  return function ? function() : nullptr;
}

// Sets module, or absence.
void open_first(const std::vector<std::string>& paths, CudaSupport& support) {
  support.absence = std::string("built without CUDA: no ") + kFileName;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      support.absence = std::string("cannot open the CUDA module: ") + dlerror();
      return;
    }
    const DsCudaModule* table = table_of(library);
    const std::string problem = table_problem(table);
    if (!problem.empty()) {
      support.absence = path + ": " + problem;
      dlclose(library);
      return;
    }
    support.module = std::make_shared<CudaModule>(CudaModule{table, path});
    support.absence.clear();
    return;
  }
}

}  // namespace

std::string table_problem(const DsCudaModule* table) {
  if (!table) return std::string("exports no ") + DS_CUDA_MODULE_SYMBOL;
  if (table->version != DS_CUDA_MODULE_VERSION)
    return "is version " + std::to_string(table->version) + " of the module, this program needs " +
           std::to_string(DS_CUDA_MODULE_VERSION);
  if (table->bytes != sizeof(DsCudaModule))
    return "has a table of " + std::to_string(table->bytes) + " bytes instead of " +
           std::to_string(sizeof(DsCudaModule));
  // From the first function on the table is nothing but function pointers.
  constexpr size_t kFirst = offsetof(DsCudaModule, cuda_error);
  const auto* bytes = reinterpret_cast<const char*>(table);
  for (size_t at = kFirst; at < sizeof(DsCudaModule); at += sizeof(void*)) {
    void* function = nullptr;
    std::memcpy(&function, bytes + at, sizeof function);
    if (!function) return "lacks function " + std::to_string((at - kFirst) / sizeof(void*)) + " of the table";
  }
  return "";
}

std::string CudaSupport::nccl_absence() const {
  if (!module) return absence;
  const char* text = module->table->nccl_absence();
  return text ? text : "";
}

std::vector<std::string> cuda_module_places() {
  if (const char* path = std::getenv("DSLAUNCH_CUDA_MODULE"); path && *path) return {path};
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return {(self.parent_path().parent_path() / "lib" / kFileName).string(), (self.parent_path() / kFileName).string()};
}

CudaSupport find_cuda(const std::vector<std::string>& paths) {
  CudaSupport support;
  open_first(paths, support);
  if (!support.module) return support;
  const DsCudaModule& table = *support.module->table;
  if (const int code = table.device_count(&support.num_devices); code != 0) {
    support.num_devices = 0;
    support.absence = std::string("no CUDA device: ") + table.cuda_error(code);
  } else if (support.num_devices == 0) {
    support.absence = "no CUDA device is visible";
  }
  return support;
}

}  // namespace ds
