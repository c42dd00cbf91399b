// Counted randomness: the published test vectors, and that any cut of a range gives the same numbers.
#include "engine/random/philox.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace ds {
namespace {

// Known-answer vectors of the Random123 distribution (philox4x32, 10 rounds).
TEST(Philox, GivesThePublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NormalNumbersDoNotDependOnTheCut) {
  const uint64_t key = random_key(7, "weight/a");
  std::vector<float> whole(1000), part(1000);
  counted_normal(key, 0, 1000, whole.data());
  for (int64_t cut : {1, 2, 3, 5, 333, 999}) {
    counted_normal(key, 0, cut, part.data());
    counted_normal(key, cut, 1000 - cut, part.data() + cut);
    EXPECT_EQ(whole, part) << "cut at " << cut;
  }
}

TEST(Philox, NormalNumbersHaveMeanZeroAndVarianceOne) {
  std::vector<float> x(100000);
  counted_normal(random_key(1, "w"), 0, static_cast<int64_t>(x.size()), x.data());
  double sum = 0, squares = 0;
  for (float v : x) sum += v, squares += double{v} * v;
  // Five standard errors of the mean and of the variance.
  EXPECT_NEAR(sum / x.size(), 0, 5 / std::sqrt(x.size()));
  EXPECT_NEAR(squares / x.size(), 1, 5 * std::sqrt(2.0 / x.size()));
}

TEST(Philox, KeysDifferByNameAndSeed) {
  EXPECT_NE(random_key(1, "a"), random_key(1, "b"));
  EXPECT_NE(random_key(1, "a"), random_key(2, "a"));
}

TEST(Philox, DropoutKeepsTheExpectedShareAndScalesIt) {
  std::vector<float> mask(100000);
  counted_dropout(random_key(3, "dropout"), 17, static_cast<int64_t>(mask.size()), 0.1, mask.data());
  int64_t dropped = 0;
  for (float m : mask) {
    if (m == 0) ++dropped;
    else EXPECT_FLOAT_EQ(m, 1.0f / 0.9f);
  }
  EXPECT_NEAR(static_cast<double>(dropped) / mask.size(), 0.1, 5 * std::sqrt(0.09 / mask.size()));
}

}  // namespace
}  // namespace ds
