#include "engine/data/permutation.h"

#include <bit>

namespace ds {
namespace {

// The finaliser of the SplitMix64 generator: a bijection of 64-bit values in which every input bit reaches every
// output bit.
uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

Permutation::Permutation(int64_t n, uint64_t seed, uint64_t epoch) : n_(static_cast<uint64_t>(n)) {
  const int bits = static_cast<int>(std::bit_width(n_ - 1));
  if (bits > 2) half_bits_ = (bits + 1) / 2;
  uint64_t state = scramble(scramble(seed) ^ epoch);
  for (auto& key : keys_) key = state = scramble(state);
}

uint64_t Permutation::pass(uint64_t value) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_, right = value & mask;
  for (const uint64_t key : keys_) {
    const uint64_t mixed = left ^ (scramble(right ^ key) & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

int64_t Permutation::operator()(int64_t i) const {
  auto value = static_cast<uint64_t>(i);
  do value = pass(value);
  while (value >= n_);
  return static_cast<int64_t>(value);
}

}  // namespace ds
