#include "engine/tools/compare_checkpoints.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "engine/checkpoint/manifest.h"
#include "engine/tools/element_value.h"

namespace ds {
namespace {

constexpr int64_t kElementsAtOnce = 1 << 19;

using Key = std::pair<std::string, std::string>;

std::map<Key, TensorInfo> by_key(const CheckpointReader& reader) {
  std::map<Key, TensorInfo> tensors;
  for (const TensorInfo& info : reader.tensors()) tensors[{info.name, info.kind}] = info;
  return tensors;
}

void compare_elements(const std::byte* a, const std::byte* b, int64_t start, int64_t count, TensorDifference& result) {
  const DType dtype = result.tensor.dtype;
  const auto element = static_cast<int64_t>(size_of(dtype));
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i * element, b + i * element, static_cast<size_t>(element)) == 0) continue;
    const double left = element_value(a, i, dtype), right = element_value(b, i, dtype);
    if (result.num_different++ == 0) {
      result.first_different = start + i;
      result.value_in_first = left;
      result.value_in_second = right;
    }
    // Two infinities or two NaNs of different bits are no distance apart.
    const bool both_nan = std::isnan(left) && std::isnan(right);
    const double distance = left == right || both_nan ? 0 : std::abs(left - right);
    if (std::isnan(distance) || distance > result.largest) result.largest = distance;
  }
}

TensorDifference compare_tensor(const CheckpointReader& first, const CheckpointReader& second, const TensorInfo& info) {
  TensorDifference result;
  result.tensor = info;
  std::vector<std::byte> a, b;
  const int64_t total = info.count();
  for (int64_t start = 0; start < total; start += kElementsAtOnce) {
    const int64_t count = std::min(kElementsAtOnce, total - start);
    a.resize(static_cast<size_t>(count) * size_of(info.dtype));
    b.resize(a.size());
    first.read({{info, start, count, a.data()}});
    second.read({{info, start, count, b.data()}});
    if (a != b) compare_elements(a.data(), b.data(), start, count, result);
  }
  return result;
}

}  // namespace

std::vector<TensorDifference> compare_checkpoints(const CheckpointReader& first, const CheckpointReader& second) {
  const auto left = by_key(first), right = by_key(second);
  auto all = left;
  all.insert(right.begin(), right.end());
  std::vector<TensorDifference> differences;
  for (const auto& [key, info] : all) {
    const auto at_left = left.find(key), at_right = right.find(key);
    TensorDifference difference;
    difference.tensor = info;
    if (at_left == left.end()) {
      difference.missing_in = "first";
    } else if (at_right == right.end()) {
      difference.missing_in = "second";
    } else if (info.shape != at_right->second.shape || info.dtype != at_right->second.dtype) {
      difference.other_layout = shape_text(at_right->second);
    } else {
      difference = compare_tensor(first, second, info);
      if (difference.num_different == 0) continue;
    }
    differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace ds
