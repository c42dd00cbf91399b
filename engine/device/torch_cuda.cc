#include "engine/device/torch_cuda.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <ATen/Context.h>

namespace ds {

std::string load_torch_cuda() {
  namespace fs = std::filesystem;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&at::globalContext), &info) == 0 || !info.dli_fname)
    return "libtorch does not say where it lies";
  const fs::path library = fs::path(info.dli_fname).parent_path() / "libtorch_cuda.so";
  std::error_code error;
  if (!fs::exists(library, error)) return "this libtorch is for the CPU only: no " + library.string();
  if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return std::string("cannot open libtorch's CUDA part: ") + dlerror();
  return at::hasCUDA() ? "" : "libtorch's CUDA part finds no device";
}

void compute_repeatably() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
}

}  // namespace ds
