// Which rows a rank gets: the samples of a step never depend on how many ranks share them.
#include "engine/data/batch_loader.h"

#include <map>

#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"

namespace ds {
namespace {

// Token i of the stream is i modulo 250.
class CountingSource : public TokenSource {
 public:
  explicit CountingSource(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  void read(int64_t offset, int64_t count, int64_t* out) const override {
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_LT(offset + i, size_);
      out[i] = (offset + i) % 250;
    }
  }
  std::string fingerprint() const override { return "counting"; }
  std::string describe() const override { return "counting"; }

 private:
  int64_t size_;
};

BatchLoader loader(bool shuffle, int64_t vocab_size = 256) {
  return BatchLoader(std::make_unique<CountingSource>(1001), SampleIndex(1001, 8, shuffle, 5, "counting"), vocab_size);
}

TEST(BatchLoader, LabelsAreTheNextTokens) {
  const auto batch = loader(false).micro_batch(3, 4, 2, 1, 1, 0);  // samples 14 and 15
  EXPECT_EQ(batch.rows, 2);
  EXPECT_EQ(batch.length, 8);
  EXPECT_EQ(batch.samples, (std::vector<int64_t>{14, 15}));
  EXPECT_EQ(batch.counted, 16);
  EXPECT_FALSE(batch.dummy);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(batch.tokens[static_cast<size_t>(i)], (14 * 8 + i) % 250);
    EXPECT_EQ(batch.labels[static_cast<size_t>(i)], (14 * 8 + i + 1) % 250);
  }
}

TEST(BatchLoader, TheSamplesOfAStepAreTheSameForEveryDivisionOfTheWork) {
  for (const bool shuffle : {false, true}) {
    const auto data = loader(shuffle);
    for (const int64_t step : {0, 1, 40}) {
      const auto whole = data.micro_batch(step, 12, 12, 0, 1, 0);
      for (const int dp : {1, 2, 3, 4, 5}) {
        for (const int64_t micro : {1, 2, 3, 5}) {
          std::map<int64_t, std::vector<int64_t>> rows;
          const int64_t accumulation = (12 + dp * micro - 1) / (dp * micro);
          for (int64_t m = 0; m < accumulation; ++m) {
            for (int r = 0; r < dp; ++r) {
              const auto part = data.micro_batch(step, 12, micro, m, dp, r);
              if (part.dummy) continue;
              for (int64_t b = 0; b < part.rows; ++b) {
                const auto row = part.tokens.begin() + b * 8;
                EXPECT_TRUE(rows.emplace(part.samples[static_cast<size_t>(b)], std::vector<int64_t>(row, row + 8)).second);
              }
            }
          }
          ASSERT_EQ(rows.size(), 12u);
          for (int64_t i = 0; i < 12; ++i) {
            const auto row = whole.tokens.begin() + i * 8;
            EXPECT_EQ(rows.at(step * 12 + i), std::vector<int64_t>(row, row + 8));
          }
        }
      }
    }
  }
}

TEST(BatchLoader, RowsBeyondTheBatchDoNotExistAndAnEmptyShareIsADummy) {
  const auto data = loader(false);
  EXPECT_EQ(data.micro_batch(0, 5, 2, 1, 2, 0).samples, (std::vector<int64_t>{4}));
  const auto dummy = data.micro_batch(0, 5, 2, 1, 2, 1);
  EXPECT_TRUE(dummy.dummy);
  EXPECT_EQ(dummy.rows, 1);
  EXPECT_EQ(dummy.counted, 0);
  EXPECT_EQ(dummy.samples.size(), 1u);
  EXPECT_EQ(dummy.labels, std::vector<int64_t>(8, -100));
  EXPECT_EQ(dummy.tokens.size(), 8u);
}

TEST(BatchLoader, EvaluationGoesThroughTheFileInOrderWhateverTheShuffle) {
  const auto data = loader(true);
  ASSERT_EQ(data.num_windows(), 125);
  const auto batch = data.evaluation_batch(120, 10);
  EXPECT_EQ(batch.rows, 5);
  EXPECT_EQ(batch.tokens.front(), 120 * 8 % 250);
  EXPECT_EQ(batch.labels.back(), 1000 % 250);
  EXPECT_TRUE(data.evaluation_batch(125, 4).dummy);
}

TEST(BatchLoader, ATokenBeyondTheVocabularyIsNamedWithItsPlace) {
  const auto message = testing::usage_error([] { loader(false, 100).micro_batch(0, 16, 16, 0, 1, 0); });
  EXPECT_NE(message.find("counting: token 100: id=100: vocab_size=100"), std::string::npos) << message;
}

}  // namespace
}  // namespace ds
