// train_batch_size = micro-batch x accumulation x data-parallel ranks: any one or two of the three may be left out
// (deepspeed.md 3.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/settings.h"

namespace ds {

struct GivenBatchSizes {
  std::optional<int64_t> train, micro, accumulation;
};

bool is_batch_size(int64_t number);  // 1..2^24, so that products of three stay far from overflow

// Adds one problem, with all four numbers, when the sizes cannot be solved, or do not fit. data_parallel >= 1.
BatchSizes solve_batch_sizes(const GivenBatchSizes& given, int64_t data_parallel, std::vector<std::string>& problems);

}  // namespace ds
