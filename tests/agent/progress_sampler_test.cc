// What of a rank's block is told when. The test is the rank: it maps the file and writes into it.
#include "agent/progress_sampler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "agent/contract.h"
#include "agent/process_table.h"
#include "agent/proto/control.pb.h"
#include "agent/rank_block.h"
#include "tests/launcher/temporary_folder.h"

namespace ds {
namespace {

class Sampled : public ::testing::Test {
 protected:
  Sampled() {
    const int fd = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
    block = static_cast<RankBlock*>(::mmap(nullptr, sizeof(RankBlock), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    ::close(fd);
    block->beat = 1;
    EXPECT_TRUE(look());
  }
  ~Sampled() override { ::munmap(block, sizeof(RankBlock)); }

  bool look(pid_t pid = ::getpid()) { return sampler.look(file, pid, told); }
  // How many of this many looks tell something, when `change` happens before each.
  template <typename Change>
  int told_in(int looks, Change change) {
    int count = 0;
    for (int i = 0; i < looks; ++i) {
      change();
      count += look();
    }
    return count;
  }

  testing::TemporaryFolder folder;
  RankBlockFile file{folder.path, 3};
  ProgressSampler sampler;
  RankBlock* block = nullptr;
  control::Progress told;
};

TEST_F(Sampled, TellsNothingWhileNothingChanges) { EXPECT_EQ(told_in(30, [] {}), 0); }

TEST_F(Sampled, TellsAStepAndAPhaseAtOnce) {
  EXPECT_EQ(told_in(30, [&] { ++block->step; }), 30);
  EXPECT_EQ(told.step(), 30);
  block->phase = static_cast<uint32_t>(RankPhase::kSaving);
  EXPECT_TRUE(look());
  EXPECT_EQ(told.phase(), static_cast<uint32_t>(RankPhase::kSaving));
}

TEST_F(Sampled, TellsMereMovementEveryThirdTime) {
  EXPECT_EQ(told_in(30, [&] { ++block->beat; }), 10);
  EXPECT_EQ(told_in(30, [&] { ++block->collective_sequence; }), 10);
  EXPECT_EQ(told_in(30, [&] { ++block->collectives_done; }), 10);
  EXPECT_GE(told.collectives_entered(), 28u);
  EXPECT_GE(told.collectives_done(), 28u);
}

TEST_F(Sampled, TellsTheLastWordOfARankThatHasEnded) {
  ++block->collectives_done;
  EXPECT_TRUE(look(0));
  EXPECT_FALSE(look(0));
}

TEST_F(Sampled, TellsThatASignalHasStoppedTheRankAndThatItGoesOn) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  told_in(3, [] {});
  ::kill(child, SIGSTOP);
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  auto until_told = [&] {
    for (int i = 0; i < 3; ++i)
      if (look(child)) return true;
    return false;
  };
  EXPECT_TRUE(until_told());
  EXPECT_EQ(told.process_state(), static_cast<uint32_t>('T'));
  ::kill(child, SIGCONT);
  ::waitpid(child, &status, WCONTINUED);
  EXPECT_TRUE(until_told());
  EXPECT_EQ(told.process_state(), 0u);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

TEST(BytesMoved, AreThoseOfCallsAndOfDisks) {
  EXPECT_EQ(parse_io("rchar: 1000\nwchar: 200\nsyscr: 7\nsyscw: 9\nread_bytes: 30\nwrite_bytes: 4\ncancelled_write_bytes: 5000\n"), 1234u);
  EXPECT_EQ(parse_io(""), 0u);
  EXPECT_EQ(bytes_moved(-1), 0u);
}

}  // namespace
}  // namespace ds
