#include "agent/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>

#include "agent/leftovers.h"

namespace ds {
namespace {

constexpr auto kLimit = std::chrono::seconds(60);

Command shell(const std::string& script) {
  Command command;
  command.program = "/bin/sh";
  command.argv = {"sh", "-c", script};
  return command;
}

ExitStatus status_of(const std::string& script) {
  const auto process = Process::start(shell(script));
  EXPECT_TRUE(process->wait(kLimit));
  return process->status().value_or(ExitStatus{});
}

TEST(Process, TellsCodesAndSignalsAsTheyWere) {
  EXPECT_EQ(describe(status_of("exit 0")), "exit code 0");
  EXPECT_EQ(describe(status_of("exit 255")), "exit code 255");
  EXPECT_EQ(describe(status_of("kill -9 $$")), "signal 9 (Killed)");
  EXPECT_FALSE(status_of("exit 255").lost);
}

TEST(Process, WaitsNoLongerThanAllowedAndSaysSo) {
  const auto process = Process::start(shell("sleep 600"));
  EXPECT_FALSE(process->wait(std::chrono::milliseconds(0)));
  EXPECT_TRUE(process->running());
  process->signal(SIGKILL);
  EXPECT_TRUE(process->wait(kLimit));
}

TEST(Process, AStatusThatSomebodyElseTookIsNoExitCode) {
  const auto process = Process::start(shell("exit 3"));
  siginfo_t child{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process->pid()), &child, WEXITED), 0);
  ASSERT_TRUE(process->wait(kLimit));
  EXPECT_TRUE(process->status()->lost);
  EXPECT_EQ(describe(*process->status()), "an exit whose status was lost");
}

TEST(Process, TheWatchTellsTheExitOnceThoughOrphansAreReapedMeanwhile) {
  boost::asio::io_context io;
  const auto process = Process::start(shell("exit 7"));
  int told = 0;
  process->watch(io, [&](const ExitStatus& status) {
    ++told;
    EXPECT_EQ(describe(status), "exit code 7");
  });
  siginfo_t child{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process->pid()), &child, WEXITED | WNOWAIT), 0);
  reap_orphans({process->pid()});
  io.run();
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace ds
