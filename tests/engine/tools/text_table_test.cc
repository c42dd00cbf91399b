#include "engine/tools/text_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ds {
namespace {

TEST(TextTable, LinesUpByWhatIsSeen) {
  std::ostringstream out;
  print_table({{"a", "b"}, {"ünï", "long cell", "x"}, {"last"}}, out);
  EXPECT_EQ(out.str(), "a    b\nünï  long cell  x\nlast\n");
}

TEST(BytesText, UsesTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(int64_t{3} << 40), "3.0 TiB");
}

}  // namespace
}  // namespace ds
