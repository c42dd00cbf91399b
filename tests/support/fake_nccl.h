// NCCL's part of the fake; the promises of cuda/module.h.
#pragma once

#include "cuda/module.h"

namespace ds::fake_cuda {

void fill_nccl(DsCudaModule& table);

}  // namespace ds::fake_cuda
