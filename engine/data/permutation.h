// A keyed permutation of 0 … n - 1 that is computed, never stored or drawn: any element at any time, on any rank.
//
// A balanced Feistel network of six rounds over the smallest even number of bits that holds n values; a result outside
// [0, n) is sent through again until it is inside (cycle walking: at most 4 n values for n wanted, so under four
// passes on average). Both steps are bijections, so the whole is one, for every n and key.
#pragma once

#include <array>
#include <cstdint>

namespace ds {

class Permutation {
 public:
  // Requires 1 <= n <= 2^62. Equal (n, seed, epoch): equal permutation, on every machine.
  Permutation(int64_t n, uint64_t seed, uint64_t epoch);
  int64_t operator()(int64_t i) const;  // requires 0 <= i < n

 private:
  uint64_t pass(uint64_t value) const;
  uint64_t n_;
  int half_bits_ = 1;
  std::array<uint64_t, 6> keys_{};
};

}  // namespace ds
