#include "engine/config/json_node.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/engine/config/job_folder.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using test::complaint;
using test::contains;
using Kind = JsonNode::Kind;

std::string why(const std::string& text) {
  return complaint([&] { read_json(text, "f.json"); });
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  const auto root = read_json(R"({"a": 1, "b": -2.5e1, "c": "x\u00e4\n", "d": [true, false, null], "e": {}})", "f");
  EXPECT_EQ(root.find("a")->integer, 1);
  EXPECT_EQ(root.find("b")->number, -25);
  EXPECT_EQ(root.find("c")->text, "x\xc3\xa4\n");
  ASSERT_EQ(root.find("d")->items.size(), 3u);
  EXPECT_TRUE(root.find("d")->items[0].flag);
  EXPECT_TRUE(root.find("d")->items[2].is(Kind::kNull));
  EXPECT_TRUE(root.find("e")->is(Kind::kObject));
}

TEST(JsonReader, KnowsTheLineOfEveryKey) {
  const auto root = read_json("{\n \"a\": 1,\n // one\n /* two\n lines */ \"b\": {\"c\":\n 7\n}}", "f");
  EXPECT_EQ(root.find("a")->line, 2);
  EXPECT_EQ(root.find("a")->column, 2);
  EXPECT_EQ(root.find("b")->line, 5);
  EXPECT_EQ(root.at("b.c")->line, 5);
}

TEST(JsonReader, TakesCommentsAndTrailingCommas) {
  const auto root = read_json("{\"train_batch_size\": 8, // eight\n \"bf16\": {\"enabled\": true,},}", "f");
  const auto plain = read_json(R"({"train_batch_size": 8, "bf16": {"enabled": true}})", "f");
  EXPECT_TRUE(same_value(root, plain));
  EXPECT_TRUE(same_value(read_json("[1, 2, /* none */ ] // end", "f"), read_json("[1,2]", "f")));
}

TEST(JsonReader, LeavesWhatLooksLikeACommentInATextAlone) {
  EXPECT_EQ(read_json(R"(["http://x", "/* y */", "a,]", "\"//"])", "f").written(),
            R"(["http://x", "/* y */", "a,]", "\"//"])");
}

TEST(JsonReader, RefusesCommasWithoutAValue) {
  for (const char* text : {"[,]", "{,}", "[1,,]", "[1,,2]", "{\"a\":,}", ",", "{\"a\":1,,}"})
    EXPECT_NE(why(text), "") << text;
}

TEST(JsonReader, NamesFileLineAndColumnOfAnError) {
  EXPECT_TRUE(contains(why("{\"a\": 8,\n \"b\": {\"c\": \"x\" \"d\": {}}}"), "f.json:2:")) << why("{");
  EXPECT_TRUE(contains(why("{\"a\": 8, \"bf16\": {"), "f.json:1:"));
  EXPECT_TRUE(contains(why(""), "empty"));
  EXPECT_TRUE(contains(why("{} /* never"), "never closed"));
  EXPECT_TRUE(contains(why("{} {}"), "f.json:1:4"));
}

TEST(JsonReader, RefusesRepeatedKeysAndNamesAllOfThem) {
  const auto text = why("{\"a\": 1,\n \"a\": 2,\n \"b\": {\"c\": 1, \"c\": 2}}");
  EXPECT_TRUE(contains(text, "f.json:2:2: a: the key is repeated, first in line 1")) << text;
  EXPECT_TRUE(contains(text, "c: the key is repeated")) << text;
}

TEST(JsonReader, RefusesEndlessNesting) {
  EXPECT_TRUE(contains(why(std::string(100000, '[')), "nested deeper"));
  EXPECT_TRUE(contains(why(std::string(100000, '{')), "f.json:1:"));
  EXPECT_EQ(why(std::string(90, '[') + std::string(90, ']')), "");
}

TEST(JsonReader, KeepsIntegersExact) {
  EXPECT_EQ(read_json("9223372036854775807", "f").integer, INT64_MAX);
  EXPECT_TRUE(read_json("18446744073709551615", "f").is(Kind::kNumber));
  EXPECT_TRUE(read_json("5e8", "f").is(Kind::kNumber));
}

TEST(JsonNode, EqualsTheSameValueInAnotherSpelling) {
  EXPECT_TRUE(same_value(read_json(R"({"a": 1, "b": [2]})", "f"), read_json(R"({"b": [2.0], "a": 1e0})", "g")));
  EXPECT_FALSE(same_value(read_json("[1]", "f"), read_json("[1,1]", "f")));
  EXPECT_FALSE(same_value(read_json("null", "f"), read_json("false", "f")));
}

// Whatever the bytes are: a tree that says the same as the reference parser, or an Error; never anything else.
TEST(JsonReader, SurvivesRandomChangesOfAText) {
  const std::string original = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "list": [1, 2.5, "x\"y"]},
    "bf16": {"enabled": true}, "text": "\u00e4 // no /* comment */", "n": null})";
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text = original;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, 1, "{}[],:\"\\/*0e-.\n"[random() % 15]);
      }
      if (text.empty()) text = " ";
    }
    const auto reference = nlohmann::json::parse(text, nullptr, false);
    try {
      const auto tree = read_json(text, "f");
      if (!reference.is_discarded()) {
        EXPECT_EQ(nlohmann::json::parse(tree.written()), reference) << text;
      }
    } catch (const Error& error) {
      const bool repeated = contains(error.what(), "repeated");
      EXPECT_TRUE(reference.is_discarded() || repeated) << text << "\n" << error.what();
    }
  }
}

}  // namespace
}  // namespace ds
