// The kernels' launchers, with the signatures and promises of cuda/module.h.
#pragma once

#include <cstdint>

#include "cuda/module.h"

namespace ds::kernels {

int ordered_sum(void* out, const void* leaves, int n, int64_t count, int dtype, int op, void* stream);
int adam(const DsAdamRange* range, const DsAdamStep* step, void* stream);
int block_squares(const void* values, int dtype, int64_t count, double* sums, void* stream);
int scale(void* values, int dtype, int64_t count, float factor, void* stream);
int cast(const void* in, int in_dtype, void* out, int out_dtype, int64_t count, void* stream);
int accumulate(float* sum, const void* values, int dtype, int64_t count, void* stream);
int count_not_finite(const void* values, int dtype, int64_t count, uint64_t* counter, void* stream);

}  // namespace ds::kernels
