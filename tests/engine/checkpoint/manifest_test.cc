#include "engine/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "engine/checkpoint/crc32c.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::error_of;

Manifest example() {
  Manifest manifest;
  manifest.step = 120;
  manifest.state = R"({"samples":960,"seed":1234})";
  manifest.files = {{"rank0.bin", 100, 64, {1, 2}}, {"rank1.bin", 8, 64, {4294967295u}}, {"config.json", 0, 64, {}}};
  manifest.tensors = {{{"a.weight", "exp_avg", DType::kFloat32, {3, 9}}, {{0, 0, 0, 25}, {1, 0, 25, 2}}},
                      {{"a.weight", "weight", DType::kInt64, {}}, {{0, 0, 0, 1}}},
                      {{"empty", "buffer", DType::kUInt8, {0, 7}}, {}}};
  return manifest;
}

// Text with a right checksum whatever is in it, so that the other checks are reached.
std::string sealed_text(const std::string& text) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc32c(text.data(), text.size()));
  return text + ",\n\"crc32c\": \"" + digits + "\"}\n";
}
std::string sealed(const nlohmann::json& root) {
  std::string text = root.dump();
  text.pop_back();
  return sealed_text(text);
}

nlohmann::json example_json() {
  auto root = nlohmann::json::parse(manifest_text(example()));
  root.erase("crc32c");
  return root;
}

TEST(Manifest, ComesBackAsItWas) {
  const Manifest back = parse_manifest(manifest_text(example()), "m");
  EXPECT_EQ(back.step, 120);
  EXPECT_EQ(manifest_text(back), manifest_text(example()));
  ASSERT_NE(back.find("a.weight", "exp_avg"), nullptr);
  EXPECT_EQ(back.find("a.weight", "exp_avg")->pieces[1].offset, 25);
  EXPECT_EQ(back.find("a.weight", "momentum"), nullptr);
}

TEST(Manifest, IsRefusedCutOffAnywhere) {
  const std::string text = manifest_text(example());
  for (size_t n = 0; n < text.size(); ++n)
    EXPECT_NE(error_of([&] { parse_manifest(text.substr(0, n), "m.json"); }).find("m.json"), std::string::npos) << n;
}

TEST(Manifest, IsRefusedWithAnyBitFlipped) {
  const std::string text = manifest_text(example());
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(error_of([&] { parse_manifest(damaged, "m.json"); }), "") << bit;
  }
}

struct Refused {
  const char* pointer;  // JSON pointer of the value changed
  nlohmann::json value;
  const char* said;     // part of the message
};

TEST(Manifest, RefusesWhatMakesNoSenseAndSaysWhy) {
  ASSERT_EQ(error_of([] { parse_manifest(sealed(example_json()), "m"); }), "");
  const std::vector<Refused> cases = {
      {"/version", 2, "version=2"},
      {"/format", "x", "format"},
      {"/step", -1, "step"},
      {"/step", "7", "step"},
      {"/tensors", 3, "tensors"},
      {"/tensors/0/dtype", "float31", "'a.weight' (exp_avg): dtype=float31"},
      {"/tensors/0/shape", {-3, 9}, "shape"},
      {"/tensors/0/shape", {3, 10}, "'a.weight' (exp_avg): elements [27, 30) are in no piece"},
      {"/tensors/0/shape", {1ull << 40, 1ull << 40}, "shape is too large"},
      {"/tensors/0/pieces/1/offset", 24, "rank0.bin and rank1.bin"},
      {"/tensors/0/pieces/1/file", "rank9.bin", "rank9.bin is not listed"},
      {"/tensors/0/pieces/1/file_offset", 4, "leaves file rank1.bin"},
      {"/tensors/0/pieces/1/count", 1ll << 62, "leaves file rank1.bin"},
      {"/tensors/1/kind", "exp_avg", "listed twice"},
      {"/files/0/name", "../rank0.bin", "plain name"},
      {"/files/1/name", "rank0.bin", "listed twice"},
      {"/files/0/block_bytes", 0, "block_bytes"},
      {"/files/0/blocks", {1}, "1 block checksums instead of 2"},
      {"/files/0/blocks/0", 1ull << 32, "32-bit"},
  };
  for (const Refused& c : cases) {
    auto root = example_json();
    root[nlohmann::json::json_pointer(c.pointer)] = c.value;
    const std::string said = error_of([&] { parse_manifest(sealed(root), "m.json"); });
    EXPECT_NE(said.find(c.said), std::string::npos) << c.pointer << ": " << said;
    EXPECT_NE(said.find("m.json"), std::string::npos);
  }
}

TEST(Manifest, RefusesEndlessNesting) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_NE(error_of([&] { parse_manifest(sealed_text("{\"state\": " + deep), "m"); }).find("nested deeper"), std::string::npos);
}

TEST(Manifest, RefusesMissingMembers) {
  for (const char* key : {"format", "version", "step", "state", "tensors", "files"}) {
    auto root = example_json();
    root.erase(key);
    EXPECT_NE(error_of([&] { parse_manifest(sealed(root), "m"); }).find(key), std::string::npos) << key;
  }
}

TEST(Manifest, NeverLeadsOutsideItsFilesWhateverIsWrittenInIt) {
  const std::string whole = manifest_text(example());
  const std::string body = whole.substr(0, whole.rfind(",\n\"crc32c\""));
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = body;
    for (uint32_t i = 0, n = 1 + random() % 3; i < n; ++i)
      damaged[random() % damaged.size()] = random() % 2 ? static_cast<char>('0' + random() % 10) : static_cast<char>(random());
    Manifest manifest;
    if (!error_of([&] { manifest = parse_manifest(sealed_text(damaged), "m"); }).empty()) continue;
    for (const ManifestTensor& tensor : manifest.tensors)
      for (const ManifestPiece& piece : tensor.pieces)
        ASSERT_LE(piece.file_offset + piece.count * static_cast<int64_t>(size_of(tensor.info.dtype)),
                  manifest.files[static_cast<size_t>(piece.file)].bytes);
  }
}

TEST(CheckedCount, KnowsScalarsEmptyTensorsAndOverflow) {
  EXPECT_EQ(checked_count({}), 1);
  EXPECT_EQ(checked_count({3, 0}), 0);
  EXPECT_EQ(checked_count({2, 3, 4}), 24);
  EXPECT_EQ(checked_count({-1}), -1);
  EXPECT_EQ(checked_count({1ll << 40, 1ll << 40}), -1);
  EXPECT_EQ(checked_count({1ll << 40, 1ll << 40, 0}), -1);
}

}  // namespace
}  // namespace ds
