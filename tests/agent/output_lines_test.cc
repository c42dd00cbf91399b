// A stream of bytes as lines.
#include <gtest/gtest.h>

#include <random>

#include "agent/output_lines.h"

namespace ds {

TEST(OutputLinesValue, OnlyWholeLinesComeOutUntilTheEnd) {
  OutputLines lines;
  EXPECT_EQ(lines.feed("ab"), "");
  EXPECT_EQ(lines.feed("c\nde\nf"), "abc\nde\n");
  EXPECT_EQ(lines.feed("\n"), "f\n");
  EXPECT_EQ(lines.rest(), "");
  lines.feed("end");
  EXPECT_EQ(lines.rest(), "end");
}

TEST(OutputLinesValue, TheBytesAreTheSameHoweverTheyAreCut) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += random() % 9 ? static_cast<char>('a' + random() % 26) : '\n';
  for (int round = 0; round < 20; ++round) {
    OutputLines lines;
    std::string got;
    for (size_t at = 0; at < text.size();) {
      const size_t piece = 1 + random() % 50;
      const std::string out = lines.feed(std::string_view(text).substr(at, piece));
      EXPECT_TRUE(out.empty() || out.ends_with('\n'));
      got += out;
      at += piece;
    }
    EXPECT_EQ(got + lines.rest(), text);
  }
}

TEST(OutputLinesValue, AnEndlessLineIsPassedOnInPieces) {
  OutputLines lines;
  size_t out = 0;
  for (int i = 0; i < 400; ++i) out += lines.feed(std::string(64 << 10, 'x')).size();
  EXPECT_GT(out, 16u << 20);
}

}  // namespace ds
