#include "engine/checkpoint/coverage.h"

#include <algorithm>

namespace ds {
namespace {

std::string range_text(int64_t begin, int64_t end) {
  return "elements [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

}  // namespace

std::string coverage_problem(std::vector<OwnedRange> ranges, int64_t total) {
  for (const OwnedRange& r : ranges)
    if (r.offset < 0 || r.count < 0 || r.offset > total || r.count > total - r.offset)
      return "offset=" + std::to_string(r.offset) + " count=" + std::to_string(r.count) + " of " + r.owner +
             ": outside the tensor's " + std::to_string(total) + " elements";
  std::erase_if(ranges, [](const OwnedRange& r) { return r.count == 0; });
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const OwnedRange& a, const OwnedRange& b) { return a.offset < b.offset; });
  int64_t end = 0;
  std::string last_owner;
  for (const OwnedRange& r : ranges) {
    if (r.offset > end) return range_text(end, r.offset) + " are in no piece";
    if (r.offset < end)
      return range_text(r.offset, std::min(end, r.offset + r.count)) + " are in pieces of " + last_owner + " and " +
             r.owner;
    end = r.offset + r.count;
    last_owner = r.owner;
  }
  return end < total ? range_text(end, total) + " are in no piece" : "";
}

}  // namespace ds
