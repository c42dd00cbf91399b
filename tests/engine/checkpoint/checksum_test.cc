#include <gtest/gtest.h>

#include <string>

#include "engine/checkpoint/block_checksums.h"
#include "engine/checkpoint/crc32c.h"

namespace ds {
namespace {

std::string some_bytes(size_t n) {
  std::string text(n, '\0');
  uint32_t x = 12345;
  for (char& c : text) c = static_cast<char>((x = x * 1664525u + 1013904223u) >> 24);
  return text;
}

// RFC 3720 appendix B.4 and the usual check value.
TEST(Crc32c, GivesThePublishedValues) {
  EXPECT_EQ(crc32c_by_table("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32c_by_table(std::string(32, '\0').data(), 32), 0x8A9136AAu);
  EXPECT_EQ(crc32c_by_table(std::string(32, '\xff').data(), 32), 0x62A8AB43u);
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
}

TEST(Crc32c, IsTheSameByInstructionAndByTableForEveryLengthAndAlignment) {
  const std::string bytes = some_bytes(100);
  for (size_t start = 0; start < 9; ++start)
    for (size_t n = 0; n + start <= bytes.size(); ++n)
      ASSERT_EQ(crc32c(bytes.data() + start, n, 7), crc32c_by_table(bytes.data() + start, n, 7)) << start << " " << n;
}

TEST(Crc32c, ContinuesWhereItStopped) {
  const std::string bytes = some_bytes(1000);
  for (size_t cut = 0; cut <= bytes.size(); cut += 37)
    EXPECT_EQ(crc32c(bytes.data() + cut, bytes.size() - cut, crc32c(bytes.data(), cut)), crc32c(bytes.data(), 1000));
}

TEST(BlockChecksums, DoNotDependOnHowTheBytesArrive) {
  const std::string bytes = some_bytes(1000);
  for (int64_t step : {1, 7, 64, 65, 999, 1000}) {
    BlockChecksums sums(64);
    for (int64_t at = 0; at < 1000; at += step) sums.append(bytes.data() + at, std::min<int64_t>(step, 1000 - at));
    ASSERT_EQ(sums.blocks().size(), 16u);
    EXPECT_EQ(sums.blocks()[3], crc32c(bytes.data() + 192, 64));
    EXPECT_EQ(sums.blocks()[15], crc32c(bytes.data() + 960, 40));
  }
}

}  // namespace
}  // namespace ds
