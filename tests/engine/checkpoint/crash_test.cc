// A disk that fails at its n-th operation, for every n: as if the process had died there, or as if the disk had come back.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "collectives/thread_world.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/saver.h"
#include "tests/engine/checkpoint/support.h"

namespace ds {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::FailingFileSystem;
using test::Part;
using test::ScratchFolder;
using Problems = std::vector<std::string>;
using After = FailingFileSystem::After;

constexpr int kRanks = 2;

// Steps 10 (version 1) and 20 (version 2); made once, copied for each crash.
class Before {
 public:
  Before() {
    test::save_small(original_.path(), kRanks, 10, 1);
    test::save_small(original_.path(), kRanks, 20, 2);
  }
  void copy_to(const std::string& folder) const { fs::copy(original_.path(), folder, fs::copy_options::recursive); }

 private:
  ScratchFolder original_;
};

int64_t operations_of_a_save(const Before& before, bool can_exchange, int64_t step) {
  ScratchFolder scratch;
  before.copy_to(scratch.path());
  FailingFileSystem files(INT64_MAX, After::kRecovers, can_exchange);
  test::save_small(scratch.path(), kRanks, step, 3, 1, &files);
  return files.operations();
}

// Version 3 is saved as `step` and dies at operation n. Whatever n: `latest` names something whole, either version 2 or
// version 3, and the next save works and tidies up.
void check_death_at(const Before& before, int64_t n, int64_t step, bool can_exchange) {
  ScratchFolder scratch;
  before.copy_to(scratch.path());
  FailingFileSystem files(n, After::kDead, can_exchange);
  error_of([&] { test::save_small(scratch.path(), kRanks, step, 3, 1, &files); });
  const CheckpointReader reader(scratch.path());
  EXPECT_EQ(reader.verify(), Problems{}) << n;
  const bool old_one = test::load_differences(scratch.path(), 3, 2).empty();
  const bool new_one = test::load_differences(scratch.path(), 3, 3).empty();
  EXPECT_TRUE(old_one || new_one) << n;
  if (fs::exists(scratch.path() + "/step10")) {
    EXPECT_EQ(test::load_differences(scratch.path() + "/step10", 1, 1), Problems{}) << n;
  }
  test::save_small(scratch.path(), 1, 40, 4, 1);
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step40"})) << n;
}

TEST(DyingWhileSaving, LeavesLatestWholeAtEveryOperation) {
  const Before before;
  const int64_t total = operations_of_a_save(before, true, 30);
  ASSERT_GT(total, 20);
  for (int64_t n = 0; n <= total; ++n) check_death_at(before, n, 30, true);
}

TEST(DyingWhileReplacingWhatLatestNames, LeavesLatestWholeAtEveryOperation) {
  const Before before;
  for (bool can_exchange : {true, false}) {
    const int64_t total = operations_of_a_save(before, can_exchange, 20);
    for (int64_t n = 0; n <= total; ++n) check_death_at(before, n, 20, can_exchange);
  }
}

// One operation fails, the rest works: all ranks say so in the same words, and what was there is as it was.
void check_failure_at(const Before& before, int64_t n, int64_t step, bool can_exchange) {
  ScratchFolder scratch;
  before.copy_to(scratch.path());
  FailingFileSystem files(n, After::kRecovers, can_exchange);
  std::mutex mutex;
  std::multiset<std::string> said;
  run_thread_world(kRanks, [&](Communicator& world) {
    Part part(world.rank(), kRanks);
    part.fill(3);
    SaveRequest request{scratch.path(), step, part.pieces(), nullptr, "{}", 0};
    const std::string error = error_of([&] { save_checkpoint(world, request, {&files, 64, 32}); });
    const std::lock_guard lock(mutex);
    said.insert(error);
  });
  ASSERT_EQ(said.size(), static_cast<size_t>(kRanks));
  EXPECT_EQ(*said.begin(), *said.rbegin()) << n;
  const CheckpointReader reader(scratch.path());
  EXPECT_EQ(reader.verify(), Problems{}) << n;
  const bool saved = reader.tensors().size() > 0 && !reader.state().contains("version");
  if (said.begin()->empty()) {
    EXPECT_TRUE(saved) << n;
    return;
  }
  EXPECT_NE(said.begin()->find("saving step"), std::string::npos) << *said.begin();
  if (saved) {
    EXPECT_NE(said.begin()->find("fsync folder"), std::string::npos) << "only the last fsync may fail after the fact";
    return;
  }
  EXPECT_EQ(test::load_differences(scratch.path(), 1, 2), Problems{}) << n;
  EXPECT_EQ(test::load_differences(scratch.path() + "/step10", 1, 1), Problems{}) << n;
}

TEST(FailingWhileSaving, IsTheSameErrorOnAllRanksAndChangesNothing) {
  const Before before;
  for (const auto& [step, can_exchange] : {std::pair{30, true}, {20, true}, {20, false}}) {
    const int64_t total = operations_of_a_save(before, can_exchange, step);
    for (int64_t n = 0; n <= total; ++n) check_failure_at(before, n, step, can_exchange);
  }
}

TEST(FailingWhileSaving, LeavesNoTemporaryFolderWhenTheDiskComesBack) {
  const Before before;
  const int64_t total = operations_of_a_save(before, true, 30);
  for (int64_t n = 0; n <= total; ++n) {
    ScratchFolder scratch;
    before.copy_to(scratch.path());
    FailingFileSystem files(n, After::kRecovers);
    if (error_of([&] { test::save_small(scratch.path(), kRanks, 30, 3, 0, &files); }).empty()) continue;
    for (const std::string& name : test::names_in(scratch.path()))
      EXPECT_EQ(name.find(".tmp-"), std::string::npos) << n << ": " << name;
  }
}

// The read-back is what stands between a disk that lies and `latest`.
class LyingFileSystem : public FailingFileSystem {
 public:
  LyingFileSystem() : FailingFileSystem(INT64_MAX, After::kRecovers) {}
  std::unique_ptr<OutputFile> create(const std::string& path) override {
    struct Lying : OutputFile {
      explicit Lying(std::unique_ptr<OutputFile> f) : file(std::move(f)) {}
      void append(const void* data, size_t bytes) override {
        std::string copy(static_cast<const char*>(data), bytes);
        if (!copy.empty()) copy[copy.size() / 2] ^= 1;
        file->append(copy.data(), copy.size());
      }
      void finish() override { file->finish(); }
      std::unique_ptr<OutputFile> file;
    };
    auto file = FailingFileSystem::create(path);
    if (path.ends_with("rank1.bin")) return std::make_unique<Lying>(std::move(file));
    return file;
  }
};

TEST(Saving, ReadsBackBeforeLatestNamesIt) {
  ScratchFolder scratch;
  test::save_small(scratch.path(), kRanks, 10, 1);
  LyingFileSystem files;
  const std::string said = error_of([&] { test::save_small(scratch.path(), kRanks, 20, 2, 0, &files); });
  EXPECT_NE(said.find("read back"), std::string::npos) << said;
  EXPECT_NE(said.find("rank1.bin"), std::string::npos) << said;
  EXPECT_EQ(test::names_in(scratch.path()), (Problems{"latest", "step10"}));
}

}  // namespace
}  // namespace ds
