#include "engine/device/device_kernels.h"

#include <ATen/ops/empty.h>

#include "engine/sharding/unit_layout.h"
#include "engine/zero/torch_dtype.h"
#include "topology/base/error.h"

namespace ds {
namespace {

int number(const at::Tensor& tensor) { return static_cast<int>(dtype_of(tensor.scalar_type())); }

void* const kDefaultStream = nullptr;  // libtorch's

}  // namespace

void DeviceKernels::check(int code, const char* what) const {
  if (code != 0)
    throw Error(ErrorCode::kInternal, std::string("engine: CUDA: ") + what + ": " + module_->table->cuda_error(code));
}

double DeviceKernels::block_squares(const at::Tensor& values) const {
  const at::Tensor sums = at::empty({values.numel() / kBlockElements}, values.options().dtype(at::kDouble));
  check(module_->table->block_squares(values.const_data_ptr(), number(values), values.numel(), sums.data_ptr<double>(),
                                      kDefaultStream),
        "sum of squares");
  const at::Tensor on_host = sums.to(at::kCPU);
  const double* blocks = on_host.const_data_ptr<double>();
  double sum = 0;
  for (int64_t b = 0; b < on_host.numel(); ++b) sum += blocks[b];
  return sum;
}

void DeviceKernels::adam(const at::Tensor& master, const at::Tensor& exp_avg, const at::Tensor& exp_avg_sq,
                         const at::Tensor& gradient, const at::Tensor& work, const DsAdamStep& step) const {
  DsAdamRange range{};
  range.master = master.data_ptr<float>();
  range.exp_avg = exp_avg.data_ptr<float>();
  range.exp_avg_sq = exp_avg_sq.data_ptr<float>();
  range.gradient = gradient.const_data_ptr();
  range.gradient_dtype = number(gradient);
  if (work.defined()) {
    range.work = work.data_ptr();
    range.work_dtype = number(work);
  }
  range.count = master.numel();
  check(module_->table->adam(&range, &step, kDefaultStream), "Adam");
}

}  // namespace ds
