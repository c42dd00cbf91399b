// The .idx parser believes nothing: every truncation and every flipped bit is refused or harmless.
#include "engine/data/index_file.h"

#include <random>

#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"

namespace ds {
namespace {

const std::string kIndex = index_bytes(TokenType::kUInt16, {3, 0, 4, 2}, {0, 2, 4});

TEST(IndexFile, WhatIsWrittenIsReadBack) {
  for (const auto type : {TokenType::kUInt8, TokenType::kInt8, TokenType::kInt16, TokenType::kInt32, TokenType::kInt64,
                          TokenType::kUInt16, TokenType::kUInt32, TokenType::kUInt64}) {
    const auto index = parse_index(index_bytes(type, {3, 0, 4, 2}, {0, 2, 4}), 9 * size_of(type), "x.idx");
    EXPECT_EQ(index.type, type);
    EXPECT_EQ(index.sizes, (std::vector<int32_t>{3, 0, 4, 2}));
    EXPECT_EQ(index.documents, (std::vector<int64_t>{0, 2, 4}));
    EXPECT_EQ(index.num_tokens, 9);
  }
}

TEST(IndexFile, ByteOffsetsDoNotWrapAt32Bits) {
  EXPECT_EQ(byte_offsets(TokenType::kInt32, std::vector<int32_t>(4, 700'000'000)),
            (std::vector<int64_t>{0, 2'800'000'000, 5'600'000'000, 8'400'000'000}));
}

TEST(IndexFile, EveryTruncationAndEveryLongerFileIsRefused) {
  for (size_t size = 0; size < kIndex.size(); ++size) {
    testing::usage_error([&] { parse_index(kIndex.substr(0, size), 18, "x.idx"); });
  }
  testing::usage_error([&] { parse_index(kIndex + '\0', 18, "x.idx"); });
}

TEST(IndexFile, AFlippedBitIsRefusedOrLeavesTheStreamAsItWas) {
  const auto good = parse_index(kIndex, 18, "x.idx");
  int harmless = 0;
  for (size_t bit = 0; bit < kIndex.size() * 8; ++bit) {
    std::string bytes = kIndex;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    try {
      const auto index = parse_index(bytes, 18, "x.idx");
      EXPECT_EQ(index.sizes, good.sizes) << "bit " << bit;
      EXPECT_EQ(index.type, good.type) << "bit " << bit;
      ++harmless;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("x.idx"), std::string::npos);
    }
  }
  EXPECT_LE(harmless, 3);  // borders between documents that still ascend: 2 -> 0, 3
}

TEST(IndexFile, RandomBytesNeverCrash) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = kIndex;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      parse_index(bytes, 18, "x.idx");
    } catch (const Error&) {
    }
  }
}

TEST(IndexFile, HugeCountsAreRefusedWithoutAllocating) {
  std::string bytes = kIndex;
  for (size_t i = 18; i < 34; ++i) bytes[i] = static_cast<char>(0xff);
  EXPECT_NE(testing::usage_error([&] { parse_index(bytes, 18, "x.idx"); }).find("does not hold exactly"), std::string::npos);
}

TEST(IndexFile, TheWidthOfTheBinTellsMegatronsCodesFromDeepSpeeds) {
  const auto with_code = [](char code, int64_t bin_bytes) {
    std::string bytes = index_bytes(bin_bytes == 18 ? TokenType::kUInt16 : TokenType::kInt64, {3, 6}, {0, 2});
    bytes[17] = code;
    return parse_index(bytes, bin_bytes, "x.idx").type;
  };
  EXPECT_EQ(with_code(8, 18), TokenType::kUInt16);
  EXPECT_EQ(with_code(6, 18), TokenType::kUInt16);
  EXPECT_EQ(with_code(8, 72), TokenType::kUInt64);
  testing::usage_error([&] { with_code(6, 72); });  // Megatron's float64
}

TEST(IndexFile, AnotherSizeOfTheBinIsRefused) {
  for (const int64_t size : {0, 9, 17, 19, 36}) {
    EXPECT_NE(testing::usage_error([&] { parse_index(kIndex, size, "x.idx"); }).find("9 tokens of"), std::string::npos);
  }
}

}  // namespace
}  // namespace ds
