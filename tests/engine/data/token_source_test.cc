// Text, JSON lines, indexed files and joined ones: the same stream interface, clear errors.
#include "engine/data/token_source.h"

#include "gtest/gtest.h"
#include "tests/engine/data/data_files.h"

namespace ds {
namespace {

using testing::all_tokens;
using testing::bytes_of;
using testing::usage_error;
using TokenSourceTest = testing::DataFiles;

TEST_F(TokenSourceTest, TextIsItsBytes) {
  const std::string text = "caf\xc3\xa9\n\xff";
  const auto source = open_tokens({write("a.txt", text)}, "bytes");
  EXPECT_EQ(all_tokens(*source), bytes_of(text));
  int64_t token = 0;
  source->read(4, 1, &token);
  EXPECT_EQ(token, 0xa9);
}

TEST_F(TokenSourceTest, JsonLinesAreTheirTextsOneAfterAnother) {
  const auto source = open_tokens(
      {write("a.jsonl", "{\"text\": \"\"}\n{\"id\": 1, \"text\": \"a\\nb\"}\n\n{\"text\": \"\\u00e9\"}\n")}, "bytes");
  EXPECT_EQ(all_tokens(*source), bytes_of("a\nb\xc3\xa9"));
  int64_t pair[2];
  source->read(2, 2, pair);  // over the border between two texts
  EXPECT_EQ(pair[0], 'b');
  EXPECT_EQ(pair[1], 0xc3);
}

TEST_F(TokenSourceTest, AJsonLineThatDoesNotFitIsNamedWithItsNumber) {
  for (const std::string bad : {"{\"text\": 1}", "[1]", "{\"body\": \"x\"}", "{\"text\": \"x\"", "{\"text\": \"\xff\"}",
                                "{\"text\": \"x\", \"n\": 1e999}"}) {
    const auto file = write("a.jsonl", "{\"text\": \"ok\"}\n" + bad + "\n");
    EXPECT_NE(usage_error([&] { open_tokens({file}, "bytes"); }).find(file + ":2:"), std::string::npos) << bad;
  }
}

TEST_F(TokenSourceTest, EveryIntegerTypeOfABinIsRead) {
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<uint8_t>("a", TokenType::kUInt8, {0, 255})}, "bytes")),
            (std::vector<int64_t>{0, 255}));
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<int8_t>("b", TokenType::kInt8, {127, -1})}, "bytes")),
            (std::vector<int64_t>{127, -1}));
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<int16_t>("c", TokenType::kInt16, {32767, -2})}, "bytes")),
            (std::vector<int64_t>{32767, -2}));
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<uint16_t>("d", TokenType::kUInt16, {65535, 3})}, "bytes")),
            (std::vector<int64_t>{65535, 3}));
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<int32_t>("e", TokenType::kInt32, {1 << 30})}, "bytes")),
            (std::vector<int64_t>{1 << 30}));
  EXPECT_EQ(all_tokens(*open_tokens({write_indexed<int64_t>("f", TokenType::kInt64, {int64_t{1} << 40})}, "bytes")),
            (std::vector<int64_t>{int64_t{1} << 40}));
}

TEST_F(TokenSourceTest, ABinIsFoundWithAndWithoutItsEnding) {
  write_indexed<uint16_t>("corpus", TokenType::kUInt16, {1, 2, 3});
  for (const std::string name : {"corpus", "corpus.bin", "corpus.idx"}) {
    EXPECT_EQ(open_tokens({path(name)}, "gpt2")->size(), 3) << name;
  }
}

TEST_F(TokenSourceTest, ABinOfAnotherSizeThanItsIndexSaysIsRefused) {
  const auto file = write_indexed<uint16_t>("a", TokenType::kUInt16, {1, 2, 3});
  for (const size_t size : {0, 1, 5, 7, 8}) {
    write("a.bin", std::string(size, 'x'));
    EXPECT_NE(usage_error([&] { open_tokens({file}, "bytes"); }).find("a.idx"), std::string::npos);
  }
}

TEST_F(TokenSourceTest, MissingEmptyAndOddFilesAreNamed) {
  EXPECT_NE(usage_error([&] { open_tokens({path("none.txt")}, "bytes"); }).find("none.txt: No such file"), std::string::npos);
  EXPECT_NE(usage_error([&] { open_tokens({write("e.txt", "")}, "bytes"); }).find("e.txt"), std::string::npos);
  EXPECT_NE(usage_error([&] { open_tokens({write("e.jsonl", "\n{\"text\": \"\"}\n")}, "bytes"); }).find("e.jsonl"),
            std::string::npos);
  write("lonely.bin", "xx");
  EXPECT_NE(usage_error([&] { open_tokens({path("lonely.bin")}, "bytes"); }).find("lonely.idx"), std::string::npos);
  EXPECT_NE(usage_error([&] { open_tokens({path("")}, "bytes"); }).find("folder"), std::string::npos);
  EXPECT_NE(usage_error([&] { open_tokens({write("t.txt", "x")}, "bpe.json"); }).find("tokenizer=bpe.json"), std::string::npos);
  usage_error([&] { open_tokens({}, "bytes"); });
}

TEST_F(TokenSourceTest, SeveralFilesAreOneStreamAndEachTokenKnowsItsFile) {
  const auto source = open_tokens({write("a.txt", "abc"), write_indexed<uint16_t>("b", TokenType::kUInt16, {7, 8}),
                                   write("c.jsonl", "{\"text\": \"de\"}")},
                                  "bytes");
  EXPECT_EQ(all_tokens(*source), (std::vector<int64_t>{'a', 'b', 'c', 7, 8, 'd', 'e'}));
  for (int64_t offset = 0; offset < 7; ++offset) {
    for (int64_t count = 0; offset + count <= 7; ++count) {
      std::vector<int64_t> part(static_cast<size_t>(count) + 1, -1);
      source->read(offset, count, part.data());
      const auto whole = all_tokens(*source);
      EXPECT_TRUE(std::equal(part.begin(), part.end() - 1, whole.begin() + offset));
      EXPECT_EQ(part.back(), -1);
    }
  }
  EXPECT_EQ(source->locate(4), path("b.bin") + ": token 1");
}

TEST_F(TokenSourceTest, FingerprintsFollowTheContentsNotTheName) {
  const auto of = [&](const std::string& file) { return open_tokens({file}, "bytes")->fingerprint(); };
  const std::string text(5000, 'a');
  std::string changed = text;
  changed.back() = 'b';
  EXPECT_EQ(of(write("a.txt", text)), of(write("b.txt", text)));
  EXPECT_NE(of(path("a.txt")), of(write("c.txt", changed)));
  EXPECT_NE(of(path("a.txt")), of(write("d.txt", text + "a")));
}

}  // namespace
}  // namespace ds
