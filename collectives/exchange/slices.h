// How an all_reduce or a broadcast divides elements among ranks: as even as can be, the first ones take the rest.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ds {

struct Slices {
  int64_t count = 0;
  int parts = 1;

  int64_t begin(int part) const { return part * (count / parts) + std::min<int64_t>(part, count % parts); }
  int64_t size(int part) const { return count / parts + (part < count % parts ? 1 : 0); }
};

}  // namespace ds
