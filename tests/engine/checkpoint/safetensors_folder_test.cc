#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/safetensors.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

using test::error_of;
using test::ScratchFolder;

const std::vector<float> kValues{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

// 40, 24 and 16 bytes.
std::vector<SafeTensorToWrite> three() {
  return {{"x", DType::kFloat32, {10}, kValues.data()},
          {"y", DType::kFloat32, {2, 3}, kValues.data()},
          {"z", DType::kFloat32, {4}, kValues.data()}};
}

TEST(SafetensorsFolder, IsOneFileWhenItFits) {
  ScratchFolder scratch;
  EXPECT_FALSE(has_safetensors(scratch.path()));
  write_safetensors_folder(scratch.path() + "/new/m", three(), 80);
  EXPECT_EQ(test::names_in(scratch.path() + "/new/m"), std::vector<std::string>{"model.safetensors"});
  EXPECT_TRUE(has_safetensors(scratch.path() + "/new/m"));
  EXPECT_EQ(SafetensorsReader(scratch.path() + "/new/m").tensors().size(), 3u);
}

TEST(SafetensorsFolder, IsSplitWithAnIndexWhenItDoesNot) {
  ScratchFolder scratch;
  write_safetensors_folder(scratch.path(), three(), 45);
  EXPECT_EQ(test::names_in(scratch.path()),
            (std::vector<std::string>{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                                      "model.safetensors.index.json"}));
  const auto index = nlohmann::json::parse(test::read_text(scratch.path() + "/model.safetensors.index.json"));
  EXPECT_EQ(index["metadata"]["total_size"], 80);
  EXPECT_EQ(index["weight_map"]["z"], "model-00002-of-00002.safetensors");
  const SafetensorsReader reader(scratch.path());
  EXPECT_EQ(reader.tensors().size(), 3u);
  EXPECT_EQ(std::memcmp(reader.find("y")->data, kValues.data(), 24), 0);
  EXPECT_TRUE(reader.find("y")->file.ends_with("model-00002-of-00002.safetensors"));
}

TEST(SafetensorsFolder, NamesEveryMissingFileBeforeAnyIsRead) {
  ScratchFolder scratch;
  write_safetensors_folder(scratch.path(), three(), 1);
  std::filesystem::remove(scratch.path() + "/model-00001-of-00003.safetensors");
  std::filesystem::remove(scratch.path() + "/model-00003-of-00003.safetensors");
  const std::string said = error_of([&] { SafetensorsReader reader(scratch.path()); });
  EXPECT_NE(said.find("model-00001-of-00003"), std::string::npos) << said;
  EXPECT_NE(said.find("model-00003-of-00003"), std::string::npos);
  EXPECT_EQ(said.find("model-00002-of-00003"), std::string::npos);
}

TEST(SafetensorsFolder, NamesTensorsThatAreNotWhereTheIndexSays) {
  ScratchFolder scratch;
  write_safetensors_folder(scratch.path(), three(), 45);
  const std::string index = scratch.path() + "/model.safetensors.index.json";
  auto text = nlohmann::json::parse(test::read_text(index));
  text["weight_map"]["z"] = "model-00001-of-00002.safetensors";
  test::write_text(index, text.dump());
  EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path()); }).find("'z' is not in model-00001"),
            std::string::npos);
}

TEST(SafetensorsFolder, DoesNotFollowAnIndexOutOfTheFolder) {
  ScratchFolder scratch;
  for (const char* name : {"\"../x\"", "\"/etc/passwd\"", "\"..\"", "\"\"", "3"}) {
    test::write_text(scratch.path() + "/model.safetensors.index.json",
                     R"({"weight_map": {"w": )" + std::string(name) + "}}");
    EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path()); }).find("'w'"), std::string::npos) << name;
  }
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  test::write_text(scratch.path() + "/model.safetensors.index.json", R"({"weight_map": {"w": )" + deep + "}}");
  EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path()); }).find("nested deeper"), std::string::npos);
  test::write_text(scratch.path() + "/model.safetensors.index.json", "{");
  EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path()); }).find("weight_map"), std::string::npos);
}

TEST(SafetensorsFolder, WithoutModelIsAUsageError) {
  ScratchFolder scratch;
  EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path()); }).find("neither"), std::string::npos);
  EXPECT_NE(error_of([&] { SafetensorsReader reader(scratch.path() + "/x"); }).find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace ds
