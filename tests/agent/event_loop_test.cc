#include "agent/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "agent/file_descriptor.h"
#include "agent/pipe.h"

namespace ds {
namespace {

using std::chrono::seconds;

struct Sockets {
  Sockets() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    near.reset(ends[0]);
    far.reset(ends[1]);
  }
  FileDescriptor near, far;
};

class EventLoop : public ::testing::Test {
 protected:
  // Until nothing is waited for any more; true = in time.
  bool run_out() {
    io_.restart();
    io_.run_for(seconds(30));
    return io_.stopped();
  }
  boost::asio::io_context io_;
};

TEST_F(EventLoop, TellsOnceForEachTimeItIsAsked) {
  const Pipe pipe = make_pipe();
  DescriptorWatch watch(io_, pipe.read.get());
  std::string got;
  std::function<void()> again = [&] {
    char byte;
    ASSERT_EQ(read(pipe.read.get(), &byte, 1), 1);
    got += byte;
    if (got.size() < 3) watch.when_readable(again);
  };
  watch.when_readable(again);
  ASSERT_EQ(write(pipe.write.get(), "abcd", 4), 4);
  ASSERT_TRUE(run_out());
  EXPECT_EQ(got, "abc") << "nobody asked for the fourth";
  watch.when_readable(again);
  ASSERT_TRUE(run_out());
  EXPECT_EQ(got, "abcd") << "it was there already";
}

TEST_F(EventLoop, ReadingIsStillToldWhenNobodyWaitsForWritingAnyMore) {
  const Sockets sockets;
  DescriptorWatch watch(io_, sockets.near.get());
  bool written = false, readable = false;
  watch.when_readable([&] { readable = true; });
  watch.when_writable([&] { written = true; });
  Timer later(io_);
  later.after(std::chrono::milliseconds(20), [&] {
    EXPECT_TRUE(written);
    EXPECT_EQ(write(sockets.far.get(), "x", 1), 1);
  });
  ASSERT_TRUE(run_out());
  EXPECT_TRUE(readable);
}

TEST_F(EventLoop, AnEndIsTold) {
  Sockets sockets;
  DescriptorWatch watch(io_, sockets.near.get());
  int ends = 0;
  sockets.far.reset();
  watch.when_readable([&] { ++ends; });
  ASSERT_TRUE(run_out());
  watch.when_writable([&] { ++ends; });
  ASSERT_TRUE(run_out());
  EXPECT_EQ(ends, 2);
}

TEST_F(EventLoop, WhatIsCancelledOrReplacedIsNotCalledAndLetsTheLoopEnd) {
  const Pipe pipe = make_pipe();
  DescriptorWatch watch(io_, pipe.read.get());
  int called = 0;
  watch.when_readable([&] { called = 1; });
  watch.when_readable([&] { called = 2; });
  watch.cancel();
  ASSERT_TRUE(run_out());
  EXPECT_EQ(called, 0);
  watch.when_readable([&] { called = 3; });
  watch.when_readable([&] { called = 4; });
  ASSERT_EQ(write(pipe.write.get(), "x", 1), 1);
  ASSERT_TRUE(run_out());
  EXPECT_EQ(called, 4);
}

TEST_F(EventLoop, ACallMayEndTheWatchOfAnotherThatIsReadyToo) {
  const Pipe first = make_pipe(), second = make_pipe();
  std::optional<DescriptorWatch> one(std::in_place, io_, first.read.get()), two(std::in_place, io_, second.read.get());
  int called = 0;
  one->when_readable([&] { ++called, two.reset(); });
  two->when_readable([&] { ++called, one.reset(); });
  ASSERT_EQ(write(first.write.get(), "x", 1), 1);
  ASSERT_EQ(write(second.write.get(), "x", 1), 1);
  ASSERT_TRUE(run_out());
  EXPECT_EQ(called, 1);
}

TEST_F(EventLoop, ARegularFileIsAlwaysReady) {
  const FileDescriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  DescriptorWatch watch(io_, file.get());
  bool called = false;
  watch.when_readable([&] { called = true; });
  ASSERT_TRUE(run_out());
  EXPECT_TRUE(called);
}

TEST_F(EventLoop, WhatOneCallThrowsDoesNotLoseTheOthers) {
  const Pipe first = make_pipe(), second = make_pipe();
  DescriptorWatch one(io_, first.read.get()), two(io_, second.read.get());
  bool called = false;
  one.when_readable([] { throw 1; });
  two.when_readable([&] { called = true; });
  ASSERT_EQ(write(first.write.get(), "x", 1), 1);
  EXPECT_THROW(run_out(), int);
  ASSERT_EQ(write(second.write.get(), "x", 1), 1);
  ASSERT_TRUE(run_out());
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace ds
