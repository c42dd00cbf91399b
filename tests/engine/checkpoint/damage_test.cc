// Bytes that are not what was written: refused, naming file and tensor.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/checkpoint/checkpoint.h"
#include "tests/engine/checkpoint/support.h"
#include "topology/base/error.h"
#include "topology/base/text.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::Part;
using test::ScratchFolder;

constexpr int64_t kBlock = 64;  // save_small's

void flip_bit(const std::string& path, int64_t byte, int bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(byte);
  const char old = static_cast<char>(file.get());
  file.seekp(byte);
  file.put(static_cast<char>(old ^ (1 << bit)));
}

std::string load_error(const std::string& path, int readers) {
  return error_of([&] {
    const CheckpointReader reader(path);
    for (int rank = 0; rank < readers; ++rank) reader.read(Part(rank, readers).pieces());
  });
}

class DamagedCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override { test::save_small(folder_.path(), 2, 5, 1); }
  std::string file(const std::string& name) const { return folder_.path() + "/step5/" + name; }
  ScratchFolder folder_;
};

TEST_F(DamagedCheckpoint, IsRefusedWithABitFlippedInAnyBlock) {
  for (const std::string name : {"rank0.bin", "rank1.bin"}) {
    const auto bytes = static_cast<int64_t>(fs::file_size(file(name)));
    for (int64_t block = 0; block * kBlock < bytes; ++block) {
      const int64_t byte = std::min(bytes - 1, block * kBlock + (block * 37) % kBlock);
      flip_bit(file(name), byte, static_cast<int>(block % 8));
      const auto problems = CheckpointReader(folder_.path()).verify();
      ASSERT_EQ(problems.size(), 1u) << name << " " << byte;
      EXPECT_NE(problems[0].find(name), std::string::npos) << problems[0];
      EXPECT_NE(problems[0].find("tensor '"), std::string::npos) << problems[0];
      for (int readers : {1, 3}) {
        const std::string said = load_error(folder_.path(), readers);
        EXPECT_NE(said.find(name), std::string::npos) << said;
        EXPECT_NE(said.find("tensor '"), std::string::npos) << said;
      }
      flip_bit(file(name), byte, static_cast<int>(block % 8));
    }
  }
  EXPECT_EQ(load_error(folder_.path(), 2), "");
}

TEST_F(DamagedCheckpoint, IsRefusedWhenAFileIsCutOffAnywhere) {
  const std::string whole = test::read_text(file("rank1.bin"));
  for (size_t n = whole.size(); n-- > 0;) {
    fs::resize_file(file("rank1.bin"), n);
    const std::string said = load_error(folder_.path(), 1);
    EXPECT_NE(said.find("rank1.bin: " + std::to_string(n) + " bytes instead of"), std::string::npos) << said;
    EXPECT_NE(said.find("tensor '"), std::string::npos) << said;
  }
  test::write_text(file("rank1.bin"), whole + "x");
  EXPECT_NE(load_error(folder_.path(), 1).find("rank1.bin"), std::string::npos);
}

TEST_F(DamagedCheckpoint, NamesEveryMissingFileWhateverTheWorld) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 4, 5, 1);
  fs::remove(scratch.path() + "/step5/rank2.bin");
  fs::remove(scratch.path() + "/step5/rank3.bin");
  for (int readers : {2, 4}) {
    const std::string said = load_error(scratch.path(), readers);
    EXPECT_NE(said.find("rank2.bin: missing"), std::string::npos) << said;
    EXPECT_NE(said.find("rank3.bin: missing"), std::string::npos) << said;
  }
}

TEST_F(DamagedCheckpoint, IsRefusedWithoutManifest) {
  fs::remove(file("manifest.json"));
  EXPECT_NE(load_error(file(""), 1).find("manifest.json: missing"), std::string::npos);
  EXPECT_NE(load_error(folder_.path(), 1).find("manifest.json: missing"), std::string::npos);
}

TEST_F(DamagedCheckpoint, ChecksItsConfigToo) {
  flip_bit(file("config.json"), 3, 0);
  const auto problems = CheckpointReader(folder_.path()).verify();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("config.json"), std::string::npos);
}

TEST_F(DamagedCheckpoint, IsACorruptErrorNotAUsageError) {
  flip_bit(file("rank0.bin"), 0, 0);
  try {
    CheckpointReader(folder_.path()).read(Part(0, 1).pieces());
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace ds
