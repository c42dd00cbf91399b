// Opening the CUDA module at run time: one build serves hosts with and without GPUs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/module.h"

namespace ds {

// The open module; closed never, because CUDA's runtime cannot be unloaded safely.
struct CudaModule {
  const DsCudaModule* table = nullptr;
  std::string path;
};

// What this machine can do. absence is empty when there is a usable device; else it says what is missing: the module,
// a matching version, the driver, a device.
struct CudaSupport {
  std::shared_ptr<const CudaModule> module;  // also there when no device is
  int num_devices = 0;
  std::string absence;
  bool usable() const { return absence.empty(); }
  std::string nccl_absence() const;  // empty: NCCL can be used
};

// Where the module is looked for: DSLAUNCH_CUDA_MODULE if set, else ../lib and beside the program.
std::vector<std::string> cuda_module_places();

// Never throws. `paths` is replaced in tests.
CudaSupport find_cuda(const std::vector<std::string>& paths = cuda_module_places());

// What is wrong with a table before any of its functions is called; "" = complete and of our version.
std::string table_problem(const DsCudaModule* table);

}  // namespace ds
