// The module's kernels for the engine's flat tensors, on the stream where libtorch computes.
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "cuda/loader.h"

namespace ds {

class DeviceKernels {
 public:
  explicit DeviceKernels(std::shared_ptr<const CudaModule> module) : module_(std::move(module)) {}

  // As gradient_squares.h, with the same bits: the blocks on the device, their sum on the host. Waits for the device.
  double block_squares(const at::Tensor& values) const;

  // One pass over a range: gradients (fp32 or bf16) are scaled, master and states updated, the new weights written to
  // `work` unless it is undefined. All flat, of one size.
  void adam(const at::Tensor& master, const at::Tensor& exp_avg, const at::Tensor& exp_avg_sq,
            const at::Tensor& gradient, const at::Tensor& work, const DsAdamStep& step) const;

 private:
  void check(int code, const char* what) const;
  std::shared_ptr<const CudaModule> module_;
};

}  // namespace ds
