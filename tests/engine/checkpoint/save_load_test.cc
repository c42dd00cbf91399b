#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "collectives/thread_world.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/saver.h"
#include "tests/engine/checkpoint/support.h"
#include "topology/base/error.h"

namespace ds {
namespace {

using test::Part;
using test::ScratchFolder;

using Problems = std::vector<std::string>;

TEST(SaveAndLoad, AnyWorldIntoAnyWorldHoweverTensorsAreSplit) {
  for (int writers : {1, 2, 3, 4})
    for (bool whole : {false, true}) {
      ScratchFolder scratch;
      test::save_small(scratch.path() + "/checkpoints", writers, 10, 1, 0, nullptr, whole);
      for (int readers : {1, 2, 3, 5})
        for (bool read_whole : {false, true})
          EXPECT_EQ(test::load_differences(scratch.path(), readers, 1, read_whole), Problems{})
              << writers << " -> " << readers;
      EXPECT_EQ(CheckpointReader(scratch.path()).verify(), Problems{});
    }
}

TEST(SaveAndLoad, WritesTheFilesTheFormatPageNames) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 10, 1);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step10"}));
  EXPECT_EQ(test::names_in(scratch.path() + "/step10"),
            (Problems{"config.json", "manifest.json", "rank0.bin", "rank1.bin"}));
  EXPECT_EQ(test::read_text(scratch.path() + "/latest"), "step10\n");
  EXPECT_EQ(test::read_text(scratch.path() + "/step10/config.json"), R"({"model_type": "none"})");
}

TEST(SaveAndLoad, AWorldOfOneWithDefaultOptionsTakesAboutTheBytesOfItsTensors) {
  ScratchFolder scratch;
  std::vector<float> values(1024 * 512 / 4, 0.5f);  // a quarter of a [1024, 512] tensor, in four pieces' worth of ranks
  const TensorInfo info{"w", "weight", DType::kFloat32, {256, 512}};
  auto world = singleton_communicator();
  save_checkpoint(*world, {scratch.path(), 3, {{info, 0, info.count(), values.data()}}, nullptr, "", 0});
  EXPECT_EQ(std::filesystem::file_size(scratch.path() + "/step3/rank0.bin"), 524288u);
  std::vector<float> back(values.size());
  CheckpointReader reader(scratch.path() + "/step3");
  reader.read({{info, 0, info.count(), back.data()}});
  EXPECT_EQ(back, values);
  EXPECT_EQ(reader.step(), 3);
  EXPECT_EQ(reader.folder(), scratch.path() + "/step3");
  EXPECT_TRUE(reader.state().empty());
}

TEST(SaveAndLoad, ReadsPartsThatCrossBlocksAndFiles) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 3, 1, 1);
  const CheckpointReader reader(scratch.path());
  const TensorInfo mask = test::small_model().back();
  for (int64_t from = 0; from < 105; from += 4)
    for (int64_t to = from; to <= 105; to += 9) {
      std::vector<uint8_t> got(static_cast<size_t>(to - from));
      reader.read({{mask, from, to - from, got.data()}});
      for (int64_t i = from; i < to; ++i) ASSERT_EQ(got[static_cast<size_t>(i - from)], test::expected_byte(mask, i, 1));
    }
}

TEST(SaveAndLoad, ListsTheTensorsWithTheirTrueShapes) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 1, 1);
  const CheckpointReader reader(scratch.path());
  EXPECT_EQ(reader.tensors().size(), test::small_model().size());
  EXPECT_TRUE(reader.has("wte.weight", "exp_avg"));
  EXPECT_FALSE(reader.has("wte.weight", "momentum"));
  EXPECT_TRUE(reader.has("nothing", "buffer"));
}

TEST(Saving, TheSameStepAgainReplacesIt) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 10, 1);
  test::save_small(scratch.path(), 3, 10, 2);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step10"}));
  EXPECT_EQ(test::load_differences(scratch.path(), 2, 2), Problems{});
}

TEST(Saving, TheSameStepAgainReplacesItOnFileSystemsWithoutExchange) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 10, 1);
  test::FailingFileSystem plain(INT64_MAX, test::FailingFileSystem::After::kRecovers, false);
  test::save_small(scratch.path(), 3, 10, 2, 0, &plain);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step10"}));
  EXPECT_EQ(test::load_differences(scratch.path(), 2, 2), Problems{});
}

TEST(Saving, KeepsTheNewestAndRemovesOlderOnes) {
  ScratchFolder scratch;
  for (int64_t step : {2, 4, 6, 8, 10}) test::save_small(scratch.path(), 2, step, 1, 3);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step10", "step6", "step8"}));
}

TEST(Saving, KeepingOneLeavesOnlyTheNewOne) {
  ScratchFolder scratch;
  for (int64_t step : {2, 4}) test::save_small(scratch.path(), 1, step, 1, 1);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step4"}));
}

TEST(Saving, LeavesFoldersThatAreNoCompleteCheckpointsAlone) {
  ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() + "/step1");
  std::filesystem::create_directories(scratch.path() + "/mine");
  for (int64_t step : {2, 4}) test::save_small(scratch.path(), 1, step, 1, 1);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "mine", "step1", "step4"}));
}

TEST(Saving, RemovesWhatEarlierCrashesLeft) {
  ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() + "/step7.tmp-0123abcd/x");
  std::filesystem::create_directories(scratch.path() + "/step5.old-0123abcd");
  test::write_text(scratch.path() + "/latest.tmp-0123abcd", "step7\n");
  test::save_small(scratch.path(), 2, 8, 1);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step8"}));
}

// What every rank is told when a piece is missing.
TEST(Saving, RefusesPiecesThatDoNotCoverATensorOnEveryRank) {
  ScratchFolder scratch;
  std::vector<float> memory(10);
  const TensorInfo info{"w", "weight", DType::kFloat32, {10}};
  run_thread_world(3, [&](Communicator& world) {
    const int64_t offset = world.rank() * 3;
    SaveRequest request{scratch.path(), 1, {{info, offset, 3, memory.data()}}, nullptr, "", 0};
    const std::string said = test::error_of([&] { save_checkpoint(world, request); });
    EXPECT_NE(said.find("saving step 1 failed"), std::string::npos) << said;
    EXPECT_NE(said.find("tensor 'w' (weight): elements [9, 10) are in no piece"), std::string::npos) << said;
  });
  EXPECT_TRUE(test::names_in(scratch.path()).empty());
}

TEST(Loading, SaysWhatIsWrongWithThePath) {
  ScratchFolder scratch;
  EXPECT_NE(test::error_of([&] { CheckpointReader reader(scratch.path() + "/none"); }).find("no such folder"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { CheckpointReader reader(scratch.path()); }).find("neither a step folder"),
            std::string::npos);
}

TEST(Loading, TakesAStepFolderACheckpointsFolderOrAnOutputFolder) {
  ScratchFolder scratch;
  test::save_small(scratch.path() + "/checkpoints", 2, 10, 1);
  test::save_small(scratch.path() + "/checkpoints", 2, 20, 2);
  EXPECT_EQ(CheckpointReader(scratch.path() + "/checkpoints/step10").step(), 10);
  EXPECT_EQ(CheckpointReader(scratch.path() + "/checkpoints/step10/").step(), 10);
  EXPECT_EQ(CheckpointReader(scratch.path() + "/checkpoints").step(), 20);
  EXPECT_EQ(CheckpointReader(scratch.path()).step(), 20);
}

}  // namespace
}  // namespace ds
