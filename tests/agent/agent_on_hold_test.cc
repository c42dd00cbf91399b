// The agent of an elastic job whose launcher is gone: its ranks go on, and whoever takes the launcher's place hears all
// that happened meanwhile.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/agent/fake_launcher.h"

namespace ds {
namespace {

using std::chrono::seconds;

// An elastic job of two ranks that write "ready", then wait for a file, write "done" and end with 0 and 7.
class AgentOnHold : public testing::Test {
 protected:
  void SetUp() override {
    FakeLauncher::Options options;
    options.elastic = true;
    launcher_ = std::make_unique<FakeLauncher>(options);
    ASSERT_TRUE(launcher().wait_joined());
    EXPECT_FALSE(launcher().agent().hello.resumed());
    const std::string wait = "echo ready; while [ ! -e " + go() + " ]; do sleep 0.05; done; echo done; exit ";
    launcher().start(launcher().plan(1, {{"/bin/sh", "-c", wait + "0"}, {"/bin/sh", "-c", wait + "7"}}));
    ASSERT_TRUE(launcher().wait_until([&] { return launcher().out[0] == "ready\n" && launcher().out[1] == "ready\n"; }));
  }

  void TearDown() override {
    ::unlink(go().c_str());
    if (launcher().agent().process->running()) launcher().shut_down();
  }

  FakeLauncher& launcher() { return *launcher_; }
  std::string go() const { return "/tmp/go-" + launcher_->job(); }
  void let_go() { fclose(fopen(go().c_str(), "w")); }

  // The launcher dies: the connection and, as ssh does it, the life line.
  void lose_launcher() {
    launcher().agent().channel->close();
    launcher().agent().channel.reset();
    launcher().agent().life_line.reset();
  }

  void expect_return() {
    ASSERT_TRUE(launcher().wait_until([&] { return launcher().agent().channel && launcher().agent().hello.resumed(); }));
  }

  void resume(uint32_t generation) {
    control::Envelope message;
    message.mutable_resume()->set_generation(generation);
    launcher().send(message);
  }

  void expect_good_end(uint32_t generation) {
    launcher().end(generation);
    EXPECT_TRUE(launcher().wait_ended(generation));
    EXPECT_TRUE(launcher().shut_down()) << launcher().troubles();
  }

  bool ranks_run() {
    for (const auto& [rank, pid] : launcher().pids)
      if (::kill(static_cast<pid_t>(pid), 0) != 0) return false;
    return launcher().pids.size() == 2;
  }

 private:
  std::unique_ptr<FakeLauncher> launcher_;
};

TEST_F(AgentOnHold, ComesBackWithItsGenerationAndSaysAgainHowItStarted) {
  const auto pids = launcher().pids;
  lose_launcher();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  EXPECT_EQ(launcher().agent().hello.generation(), 1u);
  EXPECT_TRUE(ranks_run());
  launcher().pids.clear();
  resume(1);
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().pids == pids; })) << launcher().troubles();
  let_go();
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().exits.size() == 2; }));
  EXPECT_EQ(launcher().exits[1].exit_code(), 7);
  EXPECT_EQ(launcher().out[0], "ready\ndone\n");
  expect_good_end(1);
}

TEST_F(AgentOnHold, WhatHappensMeanwhileIsToldAfterwards) {
  lose_launcher();
  let_go();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  const auto beats = launcher().beats;
  ASSERT_TRUE(launcher().wait_until([&] { return launcher().beats > beats + 5; }));
  EXPECT_TRUE(launcher().exits.empty()) << "nothing is said about ranks before they are resumed";
  resume(1);
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().exits.size() == 2; })) << launcher().troubles();
  EXPECT_EQ(launcher().exits[0].exit_code(), 0);
  EXPECT_EQ(launcher().exits[1].exit_code(), 7);
  EXPECT_EQ(launcher().out[1], "ready\ndone\n");
  expect_good_end(1);
}

TEST_F(AgentOnHold, AnExitThatWasOnItsWayToTheDeadLauncherIsToldAgain) {
  let_go();
  ASSERT_TRUE(launcher().wait_until([&] { return launcher().exits.size() == 2; }));
  lose_launcher();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  launcher().exits.clear();
  resume(1);
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().exits.size() == 2; })) << launcher().troubles();
  EXPECT_EQ(launcher().exits[1].exit_code(), 7);
}

// The old launcher had read what it never acknowledged, and the new one does not know of it.
TEST_F(AgentOnHold, WhatTheOldLauncherDidNotAcknowledgeHoldsNobodyUp) {
  launcher().end(1);
  ASSERT_TRUE(launcher().wait_ended(1));
  auto plan = launcher().plan(2, {{"/bin/sh", "-c", "while :; do echo 0123456789abcdef; done"}});
  plan.set_output_window(1 << 16);
  launcher().out.clear();
  launcher().start(plan);
  ASSERT_TRUE(launcher().wait_until([&] { return launcher().out[0].size() >= 1 << 16; }));
  const auto beats = launcher().beats;
  ASSERT_TRUE(launcher().wait_until([&] { return launcher().beats > beats + 3; }));  // the window is shut
  lose_launcher();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  const size_t before = launcher().out[0].size();
  resume(2);
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().out[0].size() >= before + (1 << 16); })) << launcher().troubles();
}

TEST_F(AgentOnHold, RanksThatNobodyWantsAreKilledAndOthersStart) {
  lose_launcher();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  const auto old = launcher().pids;
  launcher().out.clear();
  resume(0);
  launcher().start(launcher().plan(2, {{"/bin/echo", "new"}, {"/bin/echo", "new"}}));
  EXPECT_TRUE(launcher().wait_until([&] { return launcher().exits.size() == 2 && launcher().out[1] == "new\n"; })) << launcher().troubles();
  EXPECT_EQ(launcher().exits[1].generation(), 2u);
  for (const auto& [rank, pid] : old) EXPECT_NE(::kill(static_cast<pid_t>(pid), 0), 0) << rank;
  expect_good_end(2);
}

TEST_F(AgentOnHold, AGenerationThatItDoesNotHaveHasEnded) {
  lose_launcher();
  ASSERT_NO_FATAL_FAILURE(expect_return());
  resume(5);
  ASSERT_TRUE(launcher().wait_until([&] { return !launcher().ended.empty(); }));
  EXPECT_EQ(launcher().ended[0].generation(), 5u);
  EXPECT_NE(launcher().ended[0].problem(), "");
}

TEST_F(AgentOnHold, OneThatIsRefusedEndsItsRanksAtOnce) {
  launcher().refuse_returns();
  lose_launcher();
  EXPECT_TRUE(launcher().wait_clean(seconds(15))) << launcher().leftovers();
  EXPECT_TRUE(launcher().agent().process->wait(seconds(5)));
}

}  // namespace
}  // namespace ds
