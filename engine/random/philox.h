// Counted randomness: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11) as a pure
// function of key and counter, and the few distributions made from it. Nothing is drawn, nothing has state: initial
// weights, dropout masks and shuffles are functions of what they belong to, so shards, recomputation, resume and other
// world sizes see the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ds {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// A 64-bit key of a seed and a name (FNV-1a of the name, mixed with the seed).
uint64_t random_key(uint64_t seed, std::string_view name);

// The standard normal variates number `index` … `index + count - 1` of `key`, by Box-Muller on pairs of 32-bit words.
void counted_normal(uint64_t key, int64_t index, int64_t count, float* out);

// Dropout masks: out[i] = 0 with probability p, else 1 / (1 - p), for elements index … index + count - 1.
void counted_dropout(uint64_t key, int64_t index, int64_t count, double p, float* out);

}  // namespace ds
