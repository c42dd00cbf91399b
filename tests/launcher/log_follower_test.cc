// Following log files: what is new, whole lines, the end of a generation, the next one.
#include "launcher/output/log_follower.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/launcher/temporary_folder.h"

namespace ds::testing {
namespace {

class LogFollowerTest : public ::testing::Test {
 protected:
  void append(int generation, int rank, const std::string& text) const {
    const std::string name = "logs/" + std::to_string(generation) + "/rank" + std::to_string(rank) + ".log";
    folder.write(name, folder.read(name) + text);
  }
  LogFollower follower(std::optional<int> rank = std::nullopt) {
    return LogFollower(folder.path, rank, [this](const LogFollower::Lines& lines) {
      shown += std::to_string(lines.rank) + "{" + std::string(lines.text) + "}";
    });
  }
  std::string new_ones(LogFollower& logs) {
    shown.clear();
    logs.show_new();
    return shown;
  }
  TemporaryFolder folder;
  std::string shown;
};

TEST_F(LogFollowerTest, ShowsWholeLinesOnceAndTheRestAtTheEnd) {
  append(1, 0, "a\nb\nhal");
  append(1, 1, "x\n");
  LogFollower logs = follower();
  logs.enter(1);
  EXPECT_EQ(new_ones(logs), "0{a\nb\n}1{x\n}");
  EXPECT_EQ(new_ones(logs), "");
  append(1, 0, "f\nlast");
  EXPECT_EQ(new_ones(logs), "0{half\n}");
  shown.clear();
  logs.show_rest();
  EXPECT_EQ(shown, "0{last}");
}

TEST_F(LogFollowerTest, OneRankAlone) {
  append(1, 0, "a\n");
  append(1, 12, "x\n");
  LogFollower logs = follower(12);
  logs.enter(1);
  EXPECT_TRUE(logs.has_files());
  EXPECT_EQ(new_ones(logs), "12{x\n}");
  LogFollower none = follower(3);
  none.enter(1);
  EXPECT_FALSE(none.has_files());
}

TEST_F(LogFollowerTest, TheNextGenerationStartsFromItsBeginning) {
  EXPECT_EQ(newest_generation(folder.path), 0);
  append(9, 0, "old\n");
  append(10, 0, "new\n");
  EXPECT_EQ(newest_generation(folder.path), 10);
  LogFollower logs = follower();
  logs.enter(9);
  EXPECT_EQ(new_ones(logs), "0{old\n}");
  logs.enter(10);
  EXPECT_EQ(new_ones(logs), "0{new\n}");
}

TEST_F(LogFollowerTest, ALineLongerThanAReadComesWhole) {
  const std::string line = std::string(5 << 20, 'x') + "\n";
  append(1, 0, "a\n" + line + "b\n");
  LogFollower logs = follower(0);
  logs.enter(1);
  EXPECT_EQ(new_ones(logs), "0{a\n}0{" + line + "b\n}");
}

}  // namespace
}  // namespace ds::testing
