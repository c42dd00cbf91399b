// A count model over pairs of bytes: how well text can be predicted by looking at one byte only.
#pragma once

#include <array>
#include <cstdint>

#include "engine/data/token_source.h"

namespace ds {

class BigramModel {
 public:
  // Adds the pairs (t[i], t[i + 1]) of the source. Requires tokens 0-255.
  void count(const TokenSource& source);

  // P(next | previous) = (pairs + s * P(next)) / (occurrences of previous + s): the counts smoothed towards the
  // frequency of single bytes, themselves counted from one, so that no byte has probability 0.
  double probability(int previous, int next) const;

  // Mean of -ln P over the pairs of the source, in nats per byte.
  double cross_entropy(const TokenSource& source) const;

 private:
  std::array<std::array<int64_t, 256>, 256> pairs_{};
  std::array<int64_t, 256> previous_{}, next_{};
  int64_t total_ = 0;
};

}  // namespace ds
