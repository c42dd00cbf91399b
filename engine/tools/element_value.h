// An element of any type as a double, for comparing and showing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "topology/dtype.h"

namespace ds {

// data: elements of dtype, row-major, any alignment. int64 beyond 2^53 is rounded.
double element_value(const std::byte* data, int64_t index, DType dtype);

}  // namespace ds
