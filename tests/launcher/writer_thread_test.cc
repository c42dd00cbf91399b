// A thread that writes for others: order, what is queued, readers that do not read, leave, or are given up.
#include "launcher/output/writer_thread.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <future>
#include <memory>

#include "agent/file_descriptor.h"

namespace ds {
namespace {

using namespace std::chrono_literals;

class WriterThreadTest : public ::testing::Test {
 protected:
  WriterThreadTest() {
    ::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  std::string take(size_t bytes) const {
    std::string text(bytes, '\0');
    size_t done = 0;
    for (ssize_t n; done < bytes && (n = ::read(read.get(), text.data() + done, bytes - done)) > 0;) done += static_cast<size_t>(n);
    return text.substr(0, done);
  }
  FileDescriptor read, write;
  const std::string much = std::string(1 << 20, 'x');  // more than a pipe takes
};

TEST_F(WriterThreadTest, WritesInOrderAndCountsWhatWaits) {
  WriterThread thread;
  thread.write(write.get(), much);
  thread.write(write.get(), "end");
  EXPECT_GE(thread.queued_bytes(), much.size() - (64 << 10));
  EXPECT_EQ(take(much.size() + 3), much + "end");
  thread.drain();
  EXPECT_EQ(thread.queued_bytes(), 0u);
  EXPECT_FALSE(thread.any_failure());
}

TEST_F(WriterThreadTest, TellsWhenThereIsRoomAgain) {
  WriterThread thread;
  std::promise<void> at_once, later;
  thread.when_below(0, [&] { at_once.set_value(); });
  at_once.get_future().get();
  thread.write(write.get(), much);
  thread.when_below(much.size() / 2, [&] { later.set_value(); });
  auto room = later.get_future();
  EXPECT_EQ(room.wait_for(0s), std::future_status::timeout);
  take(much.size());
  EXPECT_EQ(room.wait_for(60s), std::future_status::ready);
}

TEST_F(WriterThreadTest, AWishThatWasTakenBackIsNotCalled) {
  WriterThread thread;
  thread.write(write.get(), much);
  thread.when_below(0, [] { FAIL(); });
  thread.when_below(0, nullptr);
  take(much.size());
  thread.drain();
}

TEST_F(WriterThreadTest, AReaderThatLeavesIsNoReasonToWait) {
  WriterThread thread;
  thread.write(write.get(), much);
  read.reset();
  thread.write(write.get(), "for nobody");
  thread.drain();
  EXPECT_EQ(thread.failure(write.get()), EPIPE);
  EXPECT_TRUE(thread.any_failure());
}

TEST_F(WriterThreadTest, AReaderWhoTakesNothingIsGivenUp) {
  auto thread = std::make_unique<WriterThread>();
  thread->write(write.get(), much);
  thread->set_patience(50ms);
  thread->drain();
  EXPECT_GT(thread->queued_bytes(), 0u);
  thread.reset();  // returns; the thread stays in its write() until the pipe goes
  read.reset();
}

}  // namespace
}  // namespace ds
