#include "engine/checkpoint/step_folders.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/checkpoint/checkpoint.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using Steps = std::vector<int64_t>;
using test::error_of;
using test::ScratchFolder;

TEST(StepFolders, HaveExactlyOneNameForAStep) {
  EXPECT_EQ(step_of("step0"), 0);
  EXPECT_EQ(step_of("step120"), 120);
  for (const char* name : {"step", "step01", "step-1", "step+1", "step1 ", "step1.tmp-ab", "Step1", "1", ""})
    EXPECT_EQ(step_of(name), std::nullopt) << name;
}

TEST(Pruning, RemovesTheOldestBeyondKeepButNeverTheNewestNorLatest) {
  EXPECT_EQ(steps_to_prune({2, 4, 6, 8}, 8, 3, "step8"), (Steps{2}));
  EXPECT_EQ(steps_to_prune({2, 4, 6, 8}, 8, 1, "step8"), (Steps{2, 4, 6}));
  EXPECT_EQ(steps_to_prune({2, 4, 6, 8}, 8, 0, "step8"), Steps{});
  EXPECT_EQ(steps_to_prune({2, 4, 6, 8}, 8, 9, "step8"), Steps{});
  EXPECT_EQ(steps_to_prune({8, 6, 4, 2}, 8, 2, "step2"), (Steps{4}));
  EXPECT_EQ(steps_to_prune({2, 4, 6, 8}, 4, 1, "step4"), (Steps{2})) << "a run that went back keeps its future";
}

TEST(NewestCheckpoint, IsWhatLatestNames) {
  ScratchFolder scratch;
  EXPECT_EQ(newest_checkpoint(scratch.path()), "");
  EXPECT_EQ(newest_checkpoint(scratch.path() + "/none"), "");
  for (int64_t step : {9, 10}) test::save_small(scratch.path(), 1, step, 1);
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.path() + "/step10");
  test::write_text(scratch.path() + "/latest", "step9\n");
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.path() + "/step9");
}

TEST(NewestCheckpoint, IsTheHighestCompleteStepWhenLatestIsMissingOrDamaged) {
  ScratchFolder scratch;
  for (int64_t step : {9, 10, 11}) test::save_small(scratch.path(), 2, step, 1);
  fs::resize_file(scratch.path() + "/step11/rank1.bin", 0);
  for (const char* text : {"", "rubbish\n", "step30\n", "step010\n"}) {
    test::write_text(scratch.path() + "/latest", text);
    EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.path() + "/step10") << text;
  }
  fs::remove(scratch.path() + "/latest");
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.path() + "/step10");
}

TEST(NewestCheckpoint, IsAnErrorThatListsTheBadFilesWhenNoneIsComplete) {
  ScratchFolder scratch;
  for (int64_t step : {9, 10}) test::save_small(scratch.path(), 2, step, 1);
  fs::remove(scratch.path() + "/latest");
  fs::resize_file(scratch.path() + "/step10/rank1.bin", 0);
  fs::remove(scratch.path() + "/step9/rank0.bin");
  const std::string said = error_of([&] { newest_checkpoint(scratch.path()); });
  EXPECT_NE(said.find("step10/rank1.bin: 0 bytes instead of"), std::string::npos) << said;
  EXPECT_NE(said.find("step9/rank0.bin: missing"), std::string::npos) << said;
  fs::remove_all(scratch.path() + "/step9");
  fs::remove_all(scratch.path() + "/step10");
  test::write_text(scratch.path() + "/latest", "step10\n");
  EXPECT_NE(error_of([&] { newest_checkpoint(scratch.path()); }).find("step10, which is not there"), std::string::npos);
}

TEST(NewestCheckpoint, DoesNotLookAtWhatIsBeingWritten) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 1, 5, 1);
  fs::copy(scratch.path() + "/step5", scratch.path() + "/step6.tmp-00000000");
  fs::remove(scratch.path() + "/latest");
  EXPECT_EQ(newest_checkpoint(scratch.path()), scratch.path() + "/step5");
}

TEST(MovedAside, IsFoundAndGetsItsNameBack) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), 2, 5, 1);
  fs::rename(scratch.path() + "/step5", scratch.path() + "/step5.old-12345678");
  EXPECT_EQ(test::load_differences(scratch.path(), 1, 1), std::vector<std::string>{});
  clean_leftovers(*real_file_system(), scratch.path());
  EXPECT_EQ(test::names_in(scratch.path()), (std::vector<std::string>{"latest", "step5"}));
}

TEST(CheckpointsFolder, IsFoundFromAnyOfTheThree) {
  ScratchFolder scratch;
  const std::string folder = scratch.path() + "/checkpoints";
  test::save_small(folder, 1, 5, 1);
  EXPECT_EQ(resolve_checkpoints_folder(scratch.path()), folder);
  EXPECT_EQ(resolve_checkpoints_folder(folder), folder);
  EXPECT_EQ(resolve_checkpoints_folder(folder + "/step5/"), folder);
}

}  // namespace
}  // namespace ds
