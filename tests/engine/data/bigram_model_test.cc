// The yardstick of the quick start: probabilities that sum to one, and an entropy that a hand can check.
#include "engine/data/bigram/bigram_model.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"

namespace ds {
namespace {

using BigramModelTest = testing::DataFiles;

TEST_F(BigramModelTest, ProbabilitiesSumToOneAfterSeenAndUnseenBytes) {
  BigramModel model;
  model.count(*open_tokens({write("a.txt", "the cat sat on the mat")}, "bytes"));
  for (const int previous : {int{'t'}, int{'m'}, 0, 255}) {
    double sum = 0;
    for (int next = 0; next < 256; ++next) {
      EXPECT_GT(model.probability(previous, next), 0);
      sum += model.probability(previous, next);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST_F(BigramModelTest, AnUntrainedModelKnowsNothing) {
  const BigramModel model;
  EXPECT_NEAR(model.cross_entropy(*open_tokens({write("a.txt", "abc")}, "bytes")), std::log(256), 1e-12);
}

TEST_F(BigramModelTest, APatternOfPairsIsLearntAndACoinIsNot) {
  std::string pattern, coin;
  uint64_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    pattern += static_cast<char>('a' + i % 3);
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    coin += (state >> 62) & 1 ? 'x' : 'y';
  }
  BigramModel first, second;
  first.count(*open_tokens({write("p.txt", pattern)}, "bytes"));
  second.count(*open_tokens({write("c.txt", coin)}, "bytes"));
  EXPECT_LT(first.cross_entropy(*open_tokens({path("p.txt")}, "bytes")), 0.001);
  EXPECT_NEAR(second.cross_entropy(*open_tokens({path("c.txt")}, "bytes")), std::log(2), 0.001);
}

}  // namespace
}  // namespace ds
