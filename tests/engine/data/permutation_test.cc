// The shuffle is a bijection for every size, differs by seed and epoch, and does not change over versions.
#include "engine/data/permutation.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace ds {
namespace {

TEST(Permutation, IsABijectionForEverySizeUpTo2000) {
  for (int64_t n = 1; n <= 2000; ++n) {
    const Permutation permutation(n, 42, static_cast<uint64_t>(n % 3));
    std::vector<bool> seen(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t to = permutation(i);
      ASSERT_TRUE(to >= 0 && to < n && !seen[static_cast<size_t>(to)]) << "n=" << n << " i=" << i;
      seen[static_cast<size_t>(to)] = true;
    }
  }
}

TEST(Permutation, SamplesOfLargeRangesAreInsideAndDistinct) {
  for (const int64_t n : {int64_t{1} << 20, (int64_t{1} << 33) + 1, int64_t{1} << 62}) {
    const Permutation permutation(n, 7, 0);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 20000; ++i) {
      const int64_t to = permutation(i);
      ASSERT_TRUE(to >= 0 && to < n);
      ASSERT_TRUE(seen.insert(to).second);
    }
  }
}

TEST(Permutation, SpreadsNeighboursAndChangesWithSeedAndEpoch) {
  const int64_t n = 10000;
  const Permutation a(n, 1, 0), b(n, 2, 0), c(n, 1, 1);
  int64_t fixed = 0, neighbours = 0, same_seed = 0, same_epoch = 0;
  double distance = 0;
  for (int64_t i = 0; i + 1 < n; ++i) {
    fixed += a(i) == i;
    neighbours += a(i + 1) == a(i) + 1;
    same_seed += a(i) == b(i);
    same_epoch += a(i) == c(i);
    distance += static_cast<double>(std::abs(a(i + 1) - a(i))) / static_cast<double>(n);
  }
  // Of a random permutation each count is Poisson with mean 1, and neighbours lie n/3 apart on average.
  EXPECT_LE(fixed, 8);
  EXPECT_LE(neighbours, 8);
  EXPECT_LE(same_seed, 8);
  EXPECT_LE(same_epoch, 8);
  EXPECT_NEAR(distance / static_cast<double>(n), 1.0 / 3, 0.02);
}

TEST(Permutation, EveryPlaceOfASmallRangeIsEquallyLikely) {
  // chi-squared over 5 places of element 0, 4 degrees of freedom: 18.5 is exceeded by chance once in a thousand keys.
  std::vector<double> counts(5);
  for (uint64_t seed = 0; seed < 5000; ++seed) ++counts[static_cast<size_t>(Permutation(5, seed, 0)(0))];
  double chi_squared = 0;
  for (const double count : counts) chi_squared += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi_squared, 18.5);
}

TEST(Permutation, IsTheSameInEveryVersionSoThatOldRunsResume) {
  const Permutation permutation(100, 1234, 0);
  std::vector<int64_t> first;
  for (int64_t i = 0; i < 8; ++i) first.push_back(permutation(i));
  EXPECT_EQ(first, (std::vector<int64_t>{21, 35, 63, 52, 58, 84, 53, 95}));
}

}  // namespace
}  // namespace ds
