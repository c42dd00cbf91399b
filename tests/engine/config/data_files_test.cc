#include "engine/config/data_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/engine/config/job_folder.h"

namespace ds {
namespace {

using test::contains;
using test::JobFolder;

std::vector<std::string> expand(const std::string& text, std::vector<std::string>& problems) {
  return expand_data_paths(text, "data.train", problems);
}

TEST(DataFiles, AreReadInTheOrderListedAndByNameWithinFoldersAndGlobs) {
  JobFolder folder;
  for (const char* name : {"d/b.txt", "d/a.jsonl", "d/skip.json", "e/2.txt", "e/1.txt"}) folder.write(name, "x");
  std::vector<std::string> problems;
  const auto files = expand(folder.path("e/*.txt") + ", " + folder.path("d") + "," + folder.path("corpus.txt"), problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(files, (std::vector<std::string>{folder.path("e/1.txt"), folder.path("e/2.txt"), folder.path("d/a.jsonl"),
                                             folder.path("d/b.txt"), folder.path("corpus.txt")}));
}

TEST(DataFiles, OfIndexedDataAreFoundWithOrWithoutTheirEnding) {
  JobFolder folder;
  folder.write_indexed("corpus", {1, 2, 3});
  std::vector<std::string> problems;
  for (const char* name : {"corpus", "corpus.bin", "corpus.idx"})
    EXPECT_EQ(expand(folder.path(name), problems), std::vector<std::string>{folder.path("corpus.bin")});
  EXPECT_TRUE(problems.empty());
}

TEST(DataFiles, ThatAreMissingOrEmptyAreNamed) {
  JobFolder folder;
  folder.write("empty.txt", "");
  std::filesystem::create_directory(folder.path("bare"));
  std::vector<std::string> problems;
  expand(folder.path("absent.txt") + "," + folder.path("empty.txt") + "," + folder.path("bare") + "," + folder.path("*.x"),
         problems);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_TRUE(contains(problems[0], "absent.txt: no such file"));
  EXPECT_TRUE(contains(problems[1], "the folder holds no"));
  EXPECT_TRUE(contains(problems[2], "*.x"));
  EXPECT_TRUE(contains(problems[3], "empty.txt: is empty"));
}

TEST(DataFiles, AreCountedInTokens) {
  JobFolder folder;
  folder.write_indexed("tokens", std::vector<uint16_t>(77));
  std::vector<std::string> problems;
  EXPECT_EQ(count_tokens({folder.path("tokens.bin"), folder.path("corpus.txt")}, problems)->tokens, 1078);
  EXPECT_FALSE(count_tokens({folder.write("a.jsonl", "{\"text\": \"abc\"}\n")}, problems)->exact);
  EXPECT_TRUE(problems.empty());
}

TEST(DataFiles, WithADamagedIndexAreRefusedAtEveryLength) {
  JobFolder folder;
  folder.write_indexed("t", {1, 2, 3});
  std::vector<std::string> problems;
  for (size_t size = 0; size < 62; ++size) {
    folder.write_indexed("t", {1, 2, 3});
    std::filesystem::resize_file(folder.path("t.idx"), size);
    problems.clear();
    EXPECT_FALSE(count_tokens({folder.path("t.bin")}, problems)) << size;
    EXPECT_TRUE(contains(problems.at(0), "t.idx"));
  }
  std::filesystem::remove(folder.path("t.idx"));
  problems.clear();
  EXPECT_FALSE(count_tokens({folder.path("t.bin")}, problems));
  EXPECT_TRUE(contains(problems.at(0), "t.idx: is missing"));
  std::filesystem::create_directory(folder.path("t.idx"));
  problems.clear();
  EXPECT_FALSE(count_tokens({folder.path("t.bin")}, problems));
  EXPECT_TRUE(contains(problems.at(0), "t.idx: is a folder"));
}

}  // namespace
}  // namespace ds
