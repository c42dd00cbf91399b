#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <memory>

#include "cuda/loader.h"
#include "engine/device/torch_cuda.h"
#include "engine/tools/report.h"

namespace ds {
namespace {

// A shared library opened for questions; stays open, since some cannot be unloaded safely.
class Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

ReportRow missing(const std::string& subject, const char* library) {
  return {subject, Presence::kMissing, std::string(library) + " cannot be opened"};
}

ReportRow torch_row() {
  return {"libtorch", Presence::kThere, std::string(TORCH_VERSION) + ", kernels for " + at::get_cpu_capability()};
}

ReportRow mpi_row() {
  constexpr const char* kName = "libmpi.so.40";
  const Library library(kName);
  if (!library) return missing("Open MPI", kName);
  char text[8192] = "";
  int length = 0;
  if (auto* version = library.function<int(char*, int*)>("MPI_Get_library_version")) version(text, &length);
  const std::string all(text);
  return {"Open MPI", Presence::kThere, all.substr(0, all.find(','))};
}

ReportRow pmix_row() {
  constexpr const char* kName = "libpmix.so.2";
  const Library library(kName);
  if (!library) return missing("OpenPMIx", kName);
  auto* version = library.function<const char*()>("PMIx_Get_version");
  const std::string all(version ? version() : "version unknown");
  return {"OpenPMIx", Presence::kThere, all.substr(0, all.find_first_of(",("))};
}

ReportRow ucx_row() {
  constexpr const char* kName = "libucp.so.0";
  const Library library(kName);
  if (!library) return missing("UCX", kName);
  auto* version = library.function<const char*()>("ucp_get_version_string");
  return {"UCX", Presence::kThere, version ? version() : "version unknown"};
}

ReportRow torch_cuda_row() {
  const std::string absence = load_torch_cuda();
  return {"libtorch CUDA", absence.empty() ? Presence::kThere : Presence::kMissing,
          absence.empty() ? "computes on CUDA devices" : absence};
}

// The module may be there on a machine without a driver: then the driver's row says what is missing.
ReportRow cuda_module_row(const CudaSupport& cuda) {
  if (!cuda.module) return {"CUDA module", Presence::kMissing, cuda.absence};
  const int version = cuda.module->table->runtime_version;
  std::string detail = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) + ", ";
  detail += cuda.usable() ? std::to_string(cuda.num_devices) + " devices" : cuda.absence;
  return {"CUDA module", Presence::kThere, detail};
}

ReportRow nccl_row(const CudaSupport& cuda) {
  const std::string absence = cuda.nccl_absence();
  if (!absence.empty()) return {"NCCL", Presence::kMissing, absence};
  int number = 0;
  cuda.module->table->nccl_runtime_version(&number);
  return {
      "NCCL", Presence::kThere,
      std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100)};
}

ReportRow cuda_row() {
  constexpr const char* kName = "libcuda.so.1";
  const Library library(kName);
  if (!library) return missing("CUDA driver", kName);
  int number = 0;
  if (auto* version = library.function<int(int*)>("cuDriverGetVersion")) version(&number);
  return {"CUDA driver", Presence::kThere, std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10)};
}

}  // namespace

std::vector<ReportRow> report_libraries() {
  const CudaSupport cuda = find_cuda();
  return {torch_row(), torch_cuda_row(),      mpi_row(),      pmix_row(),
          ucx_row(),   cuda_module_row(cuda), nccl_row(cuda), cuda_row()};
}

}  // namespace ds
