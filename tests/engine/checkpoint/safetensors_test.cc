#include "engine/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/engine/checkpoint/support.h"
#include "tests/support/places.h"

namespace ds {
namespace {

using test::ScratchFolder;

TEST(Safetensors, ComeBackAsTheyWere) {
  ScratchFolder scratch;
  std::vector<float> floats(6);
  std::iota(floats.begin(), floats.end(), 1.5f);
  const std::vector<int64_t> longs{-7};
  const std::vector<uint8_t> bytes{1, 2, 3};
  const std::vector<uint16_t> halves{0x3F80, 0x4000};
  const std::string path = scratch.path() + "/a.safetensors";
  write_safetensors(path, {{"bytes", DType::kUInt8, {3}, bytes.data()},
                           {"scalar", DType::kInt64, {}, longs.data()},
                           {"empty", DType::kFloat32, {3, 0}, nullptr},
                           {"halves", DType::kBFloat16, {1, 2}, halves.data()},
                           {"floats", DType::kFloat32, {2, 3}, floats.data()}});
  const SafetensorsReader reader(path);
  ASSERT_EQ(reader.tensors().size(), 5u);
  const SafeTensor* found = reader.find("floats");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(found->data, floats.data(), 24), 0);
  EXPECT_EQ(reader.find("halves")->dtype, DType::kBFloat16);
  EXPECT_EQ(std::memcmp(reader.find("halves")->data, halves.data(), 4), 0);
  EXPECT_EQ(std::memcmp(reader.find("scalar")->data, longs.data(), 8), 0);
  EXPECT_EQ(std::memcmp(reader.find("bytes")->data, bytes.data(), 3), 0);
  EXPECT_EQ(reader.find("empty")->bytes, 0);
  EXPECT_EQ(reader.find("nothing"), nullptr);
  EXPECT_EQ(test::names_in(scratch.path()), std::vector<std::string>{"a.safetensors"});
}

TEST(Safetensors, AlignEveryTensorToItsElements) {
  ScratchFolder scratch;
  const std::vector<uint64_t> zeros(8);
  const std::string path = scratch.path() + "/a.safetensors";
  write_safetensors(path, {{"a", DType::kUInt8, {3}, zeros.data()},
                           {"b", DType::kInt64, {2}, zeros.data()},
                           {"c", DType::kFloat16, {3}, zeros.data()},
                           {"d", DType::kFloat32, {3}, zeros.data()}});
  const SafetensorsReader reader(path);
  for (const SafeTensor& tensor : reader.tensors())
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % size_of(tensor.dtype), 0u) << tensor.name;
}

TEST(Safetensors, StartTheirDataAtAMultipleOfEightBytes) {
  ScratchFolder scratch;
  const std::string path = scratch.path() + "/a.safetensors";
  for (const std::string name : {"a", "ab", "abc", "abcdefghi"}) {
    const float value = 1;
    write_safetensors(path, {{name, DType::kFloat32, {1}, &value}});
    EXPECT_EQ(std::filesystem::file_size(path) % 8, 4u);
  }
}

TEST(Safetensors, WithoutAnyTensorAreAFileThatLoads) {
  ScratchFolder scratch;
  const std::string path = scratch.path() + "/a.safetensors";
  write_safetensors(path, {});
  EXPECT_EQ(test::read_text(path).substr(8), R"({"__metadata__":{"format":"pt"}})");
  EXPECT_TRUE(SafetensorsReader(path).tensors().empty());
}

TEST(Safetensors, ReplaceAFileOnlyWhenTheNewOneIsWhole) {
  ScratchFolder scratch;
  const std::string path = scratch.path() + "/a.safetensors";
  const float old_value = 1, new_value = 2;
  write_safetensors(path, {{"w", DType::kFloat32, {1}, &old_value}});
  const SafetensorsReader before(path);
  write_safetensors(path, {{"w", DType::kFloat32, {1}, &new_value}});
  EXPECT_EQ(std::memcmp(before.find("w")->data, &old_value, 4), 0);
  EXPECT_EQ(std::memcmp(SafetensorsReader(path).find("w")->data, &new_value, 4), 0);
}

TEST(Safetensors, MayNotHoldANameTwice) {
  ScratchFolder scratch;
  const float value = 1;
  const std::vector<SafeTensorToWrite> twice(2, {"w", DType::kFloat32, {1}, &value});
  EXPECT_NE(test::error_of([&] { write_safetensors(scratch.path() + "/a", twice); }).find("'w'"), std::string::npos);
}

// Files written by the safetensors package itself.
TEST(Safetensors, OfTheGoldenModelsAreRead) {
  const auto golden = test::shared_golden();
  if (!golden) GTEST_SKIP() << "no golden models beside the checkout";
  const auto models = *golden / "models";
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (!has_safetensors(entry.path().string())) continue;
    const SafetensorsReader reader(entry.path().string());
    ASSERT_FALSE(reader.tensors().empty());
    for (const SafeTensor& tensor : reader.tensors()) {
      EXPECT_EQ(tensor.dtype, DType::kFloat32);
      float first = 0;
      std::memcpy(&first, tensor.data, sizeof first);
      EXPECT_LT(std::abs(first), 10.0f) << tensor.name;
    }
    ++read;
  }
  EXPECT_GE(read, 3);
}

}  // namespace
}  // namespace ds
