// Sample numbers to windows: floor((T - 1) / L) of them, in order or shuffled anew each epoch.
#include "engine/data/sample_index.h"

#include <set>

#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"

namespace ds {
namespace {

TEST(SampleIndex, CountsOnlyWindowsWithALastLabel) {
  EXPECT_EQ(SampleIndex(9, 4, false, 0, "x").num_windows(), 2);
  EXPECT_EQ(SampleIndex(8, 4, false, 0, "x").num_windows(), 1);
  EXPECT_EQ(SampleIndex(5, 4, false, 0, "x").num_windows(), 1);
}

TEST(SampleIndex, AStreamShorterThanOneSequenceIsRefusedByName) {
  const auto message = testing::usage_error([] { SampleIndex(4, 4, false, 0, "tiny.bin"); });
  EXPECT_NE(message.find("tiny.bin"), std::string::npos);
  EXPECT_NE(message.find("at least 5"), std::string::npos);
  testing::usage_error([] { SampleIndex(0, 4, false, 0, "x"); });
  testing::usage_error([] { SampleIndex(10, 0, false, 0, "x"); });
}

TEST(SampleIndex, WithoutShuffleSamplesRunThroughTheWindowsInOrderAndAgain) {
  const SampleIndex index(41, 4, false, 0, "x");
  for (int64_t n = 0; n < 35; ++n) EXPECT_EQ(index.token_offset(n), n % 10 * 4);
}

TEST(SampleIndex, WithShuffleEachEpochVisitsEveryWindowOnceInAnotherOrder) {
  const SampleIndex index(4 * 50 + 1, 4, true, 9, "x");
  std::vector<int64_t> orders[2];
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    for (int64_t i = 0; i < 50; ++i) orders[epoch].push_back(index.window(epoch * 50 + i));
    EXPECT_EQ(std::set<int64_t>(orders[epoch].begin(), orders[epoch].end()).size(), 50u);
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST(SampleIndex, FingerprintNamesWhatDecidesTheOrder) {
  EXPECT_EQ(SampleIndex(41, 4, false, 1, "a").fingerprint("s"), SampleIndex(41, 4, false, 2, "b").fingerprint("s"));
  EXPECT_NE(SampleIndex(41, 4, true, 1, "a").fingerprint("s"), SampleIndex(41, 4, true, 2, "a").fingerprint("s"));
  EXPECT_NE(SampleIndex(41, 4, true, 1, "a").fingerprint("s"), SampleIndex(41, 5, true, 1, "a").fingerprint("s"));
}

}  // namespace
}  // namespace ds
