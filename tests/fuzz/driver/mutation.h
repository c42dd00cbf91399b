// Inputs made from inputs: a file of the corpus, changed in a few places. Pure; the same random numbers give the same.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace ds::fuzz {

using Random = std::mt19937_64;
using Corpus = std::vector<std::string>;

inline constexpr size_t kMostBytes = 16384;  // of an input; longer ones are cut

// One to eight changes: bits, bytes, little-endian integers and decimal numbers replaced, ranges removed, doubled,
// repeated often, or taken from another file of the corpus. `corpus` is not empty.
std::string mutated(Random& random, const Corpus& corpus);

}  // namespace ds::fuzz
