// Files that lie: each is refused naming the file and, where one is at fault, the tensor.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/safetensors_header.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::error_of;

std::string with_length(uint64_t length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + rest;
}
std::string file_of(const std::string& header, size_t data_bytes) {
  return with_length(header.size(), header + std::string(data_bytes, '\0'));
}
std::string refusal(const std::string& file) {
  int64_t start = 0;
  return error_of([&] { parse_safetensors(file, "x.safetensors", &start); });
}
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(SafetensorsRefused, HeaderLengthsThatDoNotFit) {
  for (uint64_t length : {uint64_t{100'000'001}, UINT64_MAX, uint64_t{0}, uint64_t{1}, uint64_t{17}})
    EXPECT_NE(refusal(with_length(length, std::string(16, ' '))).find("header length=" + std::to_string(length)),
              std::string::npos)
        << length;
  for (size_t n = 0; n < 8; ++n) EXPECT_NE(refusal(std::string(n, '\0')).find("too short"), std::string::npos);
}

TEST(SafetensorsRefused, EntriesThatDoNotDescribeTheirBytes) {
  struct Case {
    std::string entries;
    size_t data_bytes;
    const char* tensor;
  };
  const std::vector<Case> cases = {
      {tensor("a", "F32", "[10,10]", "[0,4]"), 400, "'a'"},
      {tensor("a", "F32", "[1]", "[8,4]"), 8, "'a'"},
      {tensor("a", "F32", "[4]", "[0,16]") + "," + tensor("b", "F32", "[4]", "[0,16]"), 16, "'b'"},
      {tensor("a", "F32", "[4]", "[0,16]") + "," + tensor("b", "F32", "[1]", "[20,24]"), 24, "'b'"},
      {tensor("a", "F32", "[4]", "[0,16]"), 19, "'a'"},
      {tensor("a", "F32", "[4]", "[0]"), 16, "'a'"},
      {tensor("a", "F31", "[4]", "[0,16]"), 16, "'a'"},
      {tensor("a", "float32", "[4]", "[0,16]"), 16, "'a'"},
      {tensor("a", "F32", "[1099511627776,1099511627776]", "[0,16]"), 16, "'a'"},
      {tensor("a", "F32", "[-4]", "[0,16]"), 16, "'a'"},
      {tensor("a", "F32", "[4.0]", "[0,16]"), 16, "'a'"},
      {tensor("a", "F32", "[4]", "[0,32]"), 16, "'a'"},
      {tensor("a", "F32", "[4]", "[0,18446744073709551615]"), 16, "'a'"},
      {tensor("a", "F32", "[1]", "[16,16]"), 16, "'a'"},
      {tensor("a", "F32", "4", "[0,16]"), 16, "'a'"},
      {R"("a":3)", 0, "'a'"},
      {R"("a":{"dtype":"F32","shape":[1]})", 4, "'a'"},
      {R"("a":{"dtype":3,"shape":[1],"data_offsets":[0,4]})", 4, "'a'"},
      {tensor("a", "F32", "[1]", "[0,4]") + "," + tensor("a", "F32", "[1]", "[4,8]"), 8, "'a' is there twice"},
      {"", 3, "3 bytes"},
  };
  for (const Case& c : cases) {
    const std::string said = refusal(file_of("{" + c.entries + "}", c.data_bytes));
    EXPECT_NE(said.find(c.tensor), std::string::npos) << c.entries << ": " << said;
    EXPECT_NE(said.find("x.safetensors"), std::string::npos) << said;
  }
}

TEST(SafetensorsRefused, HeadersThatAreNotAnObject) {
  for (const char* header : {"[]", "{\"a\":", "nonsense", "  {}", "{\"a\":{}}x"}) EXPECT_NE(refusal(file_of(header, 0)), "");
}

TEST(SafetensorsRefused, EndlessNesting) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  for (const auto& [shape, offsets] : Pairs{{"[" + deep + "]", "[0,0]"}, {"[0]", deep}})
    EXPECT_NE(refusal(file_of("{" + tensor("a", "F32", shape, offsets) + "}", 0)).find("nested deeper"), std::string::npos);
}

TEST(SafetensorsAccepted, EmptyTensorsScalarsAndAnyOrderOfEntries) {
  const std::string entries = tensor("late", "F32", "[2]", "[4,12]") + "," + tensor("scalar", "F32", "[]", "[0,4]") + "," +
                              tensor("none", "F32", "[0]", "[12,12]") + "," + tensor("also", "F32", "[3,0]", "[4,4]");
  EXPECT_EQ(refusal(file_of("{" + entries + "}", 12)), "");
}

std::string example_file() {
  test::ScratchFolder scratch;
  const std::vector<float> values(5, 1.25f);
  write_safetensors(scratch.path() + "/f", {{"first", DType::kFloat32, {5}, values.data()},
                                            {"second", DType::kBFloat16, {2, 2}, values.data()}});
  return test::read_text(scratch.path() + "/f");
}

TEST(SafetensorsRefused, CutOffAnywhere) {
  const std::string file = example_file();
  ASSERT_EQ(refusal(file), "");
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_NE(refusal(file.substr(0, n)).find("x.safetensors"), std::string::npos) << n;
}

// A flipped bit may leave a header that still makes sense (another name); it must never lead outside the file.
TEST(SafetensorsDamaged, NeverLeadOutsideTheFile) {
  const std::string file = example_file();
  const auto check = [](const std::string& damaged) {
    int64_t start = 0;
    std::vector<SafetensorsEntry> entries;
    if (!error_of([&] { entries = parse_safetensors(damaged, "x", &start); }).empty()) return;
    for (const SafetensorsEntry& e : entries) {
      ASSERT_GE(e.begin, 0);
      ASSERT_LE(e.begin, e.end);
      ASSERT_LE(start + e.end, static_cast<int64_t>(damaged.size()));
    }
  };
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    check(damaged);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = file;
    for (uint32_t i = 0, n = 1 + random() % 8; i < n; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    check(damaged);
  }
}

}  // namespace
}  // namespace ds
