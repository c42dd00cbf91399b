#include "engine/config/batch_sizes.h"

namespace ds {

static constexpr int64_t kLargest = int64_t{1} << 24;

static std::string equation(const BatchSizes& sizes, int64_t ranks) {
  return "train_batch_size=" + std::to_string(sizes.train) +
         " must be train_micro_batch_size_per_gpu=" + std::to_string(sizes.micro) +
         " x gradient_accumulation_steps=" + std::to_string(sizes.accumulation) +
         " x data-parallel ranks=" + std::to_string(ranks);
}

static bool fits(const BatchSizes& sizes, int64_t ranks) {
  if (sizes.train < 1 || sizes.micro < 1 || sizes.accumulation < 1) return false;
  return sizes.train % ranks == 0 && sizes.train / ranks % sizes.micro == 0 &&
         sizes.train / ranks / sizes.micro == sizes.accumulation;
}

static std::string complaint(const BatchSizes& sizes, int64_t ranks) {
  std::string why;
  if (sizes.micro < 1)
    why = ": the micro-batch would be 0";
  else if (sizes.accumulation < 1)
    why = ": the accumulation would be 0";
  else
    why = ", which is " + std::to_string(sizes.micro * sizes.accumulation * ranks);
  return equation(sizes, ranks) + why;
}

bool is_batch_size(int64_t number) { return number >= 1 && number <= kLargest; }

BatchSizes solve_batch_sizes(const GivenBatchSizes& given, int64_t ranks, std::vector<std::string>& problems) {
  for (const auto& size : {given.train, given.micro, given.accumulation})
    if (size && !is_batch_size(*size)) {
      problems.push_back("batch size " + std::to_string(*size) + ": must be 1.." + std::to_string(kLargest));
      return {1, 1, 1};
    }
  if (!given.train && !given.micro) {
    problems.push_back(
        "neither train_batch_size nor train_micro_batch_size_per_gpu (train.micro_batch) is given: one is needed");
    return {ranks, 1, 1};
  }
  BatchSizes sizes{given.train.value_or(0), given.micro.value_or(0), given.accumulation.value_or(0)};
  if (!given.accumulation) sizes.accumulation = given.train && given.micro ? sizes.train / sizes.micro / ranks : 1;
  if (!given.micro) sizes.micro = sizes.train / ranks / sizes.accumulation;
  if (!given.train) sizes.train = sizes.micro * sizes.accumulation * ranks;
  if (!fits(sizes, ranks)) problems.push_back(complaint(sizes, ranks));
  return sizes;
}

}  // namespace ds
