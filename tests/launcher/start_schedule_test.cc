#include "launcher/reach/start_schedule.h"

#include <gtest/gtest.h>

#include <numeric>
#include <queue>
#include <set>

namespace ds {
namespace {

using namespace std::chrono_literals;
using Hosts = std::vector<int>;

const StartSchedule::Time kStart{};

Hosts first(int n) {
  Hosts hosts(static_cast<size_t>(n));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

TEST(StartSchedule, LauncherStartsTheFirstAndTheyTheNext) {
  StartSchedule schedule(8, {}, first(8), {.fan_out = 2}, kStart);
  EXPECT_EQ(schedule.starts(kStart), (Hosts{0, 1}));
  EXPECT_EQ(schedule.starts(kStart), Hosts{}) << "once";
  EXPECT_EQ(schedule.joined(0, kStart), (Hosts{2, 3}));
  EXPECT_EQ(schedule.joined(1, kStart), (Hosts{4, 5}));
  EXPECT_EQ(schedule.joined(2, kStart), (Hosts{6, 7}));
  EXPECT_EQ(schedule.joined(3, kStart), Hosts{});
  EXPECT_EQ(schedule.starter(6), 2);
  EXPECT_EQ(schedule.starter(1), std::nullopt);
  for (int host : {4, 5, 6}) EXPECT_EQ(schedule.joined(host, kStart), Hosts{});
  EXPECT_FALSE(schedule.all_over());
  schedule.joined(7, kStart);
  EXPECT_TRUE(schedule.all_over());
}

TEST(StartSchedule, EveryHostIsStartedOnceByOneStarterWithinTheDepthOfTheTree) {
  for (int fan_out : {1, 2, 3, 7, 64})
    for (int n : {1, 2, 5, 64, 65, 300}) {
      StartSchedule schedule(n, {}, first(n), {.fan_out = fan_out, .at_once = 5}, kStart);
      std::set<int> started;
      std::queue<int> under_way;
      auto take = [&](const Hosts& hosts) {
        for (int host : hosts) {
          EXPECT_TRUE(started.insert(host).second) << host;
          under_way.push(host);
        }
      };
      take(schedule.starts(kStart));
      while (!under_way.empty()) {
        const int host = under_way.front();
        under_way.pop();
        const Hosts children = schedule.joined(host, kStart);
        EXPECT_LE(children.size(), static_cast<size_t>(fan_out));
        take(children);
        take(schedule.starts(kStart));
      }
      EXPECT_EQ(started.size(), static_cast<size_t>(n)) << "fan-out " << fan_out;
      EXPECT_TRUE(schedule.all_over());
    }
}

TEST(StartSchedule, WithoutATreeTheLauncherStartsAllButFewAtOnce) {
  StartSchedule schedule(5, {}, first(5), {.fan_out = 0, .at_once = 2}, kStart);
  EXPECT_EQ(schedule.starts(kStart), (Hosts{0, 1}));
  EXPECT_EQ(schedule.joined(1, kStart), Hosts{});
  EXPECT_EQ(schedule.starts(kStart), (Hosts{2}));
  EXPECT_FALSE(schedule.failed(0, false));
  EXPECT_EQ(schedule.starts(kStart), (Hosts{3}));
}

TEST(StartSchedule, OthersAreUnderWayFromTheBeginning) {
  StartSchedule schedule(3, {}, {1}, {.each = 10s}, kStart);
  EXPECT_EQ(schedule.starts(kStart + 2s), (Hosts{1}));
  EXPECT_EQ(schedule.next_deadline(), kStart + 10s);
  EXPECT_EQ(schedule.overdue(kStart + 10s), (Hosts{0, 2}));
  EXPECT_EQ(schedule.overdue(kStart + 12s), (Hosts{0, 1, 2}));
  EXPECT_EQ(schedule.joined(0, kStart), Hosts{}) << "it is in no tree";
}

TEST(StartSchedule, EachStartHasItsOwnDeadline) {
  StartSchedule schedule(3, {}, first(3), {.fan_out = 1, .each = 10s}, kStart);
  schedule.starts(kStart);
  schedule.joined(0, kStart + 7s);
  EXPECT_EQ(schedule.overdue(kStart + 12s), Hosts{});
  EXPECT_EQ(schedule.overdue(kStart + 17s), (Hosts{1}));
}

TEST(StartSchedule, AHostIsGivenTimeWhileOthersStillCome) {
  StartSchedule schedule(4, {}, first(4), {.fan_out = 0, .each = 10s, .quiet = 2s}, kStart);
  schedule.starts(kStart);
  schedule.joined(1, kStart + 9s);
  EXPECT_EQ(schedule.next_deadline(), kStart + 10s);
  EXPECT_EQ(schedule.overdue(kStart + 10s), Hosts{});
  EXPECT_EQ(schedule.late(kStart + 10s), (Hosts{0, 2, 3}));
  EXPECT_EQ(schedule.late(kStart + 10s), Hosts{}) << "each is told once";
  EXPECT_EQ(schedule.next_deadline(), kStart + 11s) << "when nothing has come for two seconds";
  schedule.joined(2, kStart + 10s);
  EXPECT_EQ(schedule.overdue(kStart + 11s), Hosts{});
  EXPECT_EQ(schedule.next_deadline(), kStart + 12s);
  EXPECT_EQ(schedule.overdue(kStart + 12s), (Hosts{0, 3})) << "nothing came any more";
  schedule.joined(3, kStart + 29s);
  EXPECT_EQ(schedule.overdue(kStart + 30s), (Hosts{0})) << "three times its time are the most";
}

TEST(StartSchedule, WhatAnotherHostCannotStartTheLauncherTries) {
  StartSchedule schedule(4, {}, first(4), {.fan_out = 1}, kStart);
  schedule.starts(kStart);
  EXPECT_EQ(schedule.joined(0, kStart), (Hosts{1}));
  EXPECT_TRUE(schedule.failed(1, false));
  EXPECT_EQ(schedule.starts(kStart), (Hosts{1}));
  EXPECT_EQ(schedule.starter(1), std::nullopt);
  EXPECT_FALSE(schedule.failed(1, false)) << "there is no other way";
  EXPECT_EQ(schedule.starts(kStart), (Hosts{2})) << "that 1 would have started";
  EXPECT_EQ(schedule.joined(2, kStart), (Hosts{3})) << "the tree goes on below it";
}

TEST(StartSchedule, WarmHostsAreCalledByTheLauncherAndStartedByItWhenThatFails) {
  StartSchedule schedule(4, {2}, {0, 1, 3}, {.fan_out = 1}, kStart);
  EXPECT_EQ(schedule.starts(kStart), (Hosts{2, 0}));
  EXPECT_EQ(schedule.joined(0, kStart), (Hosts{1}));
  EXPECT_TRUE(schedule.failed(2, false)) << "its resident agent is gone";
  EXPECT_EQ(schedule.starts(kStart), (Hosts{2}));
  EXPECT_EQ(schedule.joined(2, kStart), Hosts{});
  EXPECT_EQ(schedule.joined(1, kStart), (Hosts{3}));
}

TEST(StartSchedule, AHopelessHostIsNotTriedAgain) {
  StartSchedule schedule(2, {}, first(2), {.fan_out = 1}, kStart);
  schedule.starts(kStart);
  schedule.joined(0, kStart);
  EXPECT_FALSE(schedule.failed(1, true));
  EXPECT_EQ(schedule.starts(kStart), Hosts{});
  EXPECT_TRUE(schedule.all_over());
}

TEST(StartSchedule, WhatALostHostWasStartingTheLauncherStarts) {
  StartSchedule schedule(5, {}, first(5), {.fan_out = 2}, kStart);
  schedule.starts(kStart);
  EXPECT_EQ(schedule.joined(0, kStart), (Hosts{2, 3}));
  schedule.joined(3, kStart);
  schedule.lost(0);
  EXPECT_EQ(schedule.starts(kStart), (Hosts{2})) << "3 is there already";
}

TEST(StartSchedule, AStartThatEndsAfterItsAgentHasJoinedIsNoFailure) {
  StartSchedule schedule(1, {}, first(1), {}, kStart);
  schedule.starts(kStart);
  schedule.joined(0, kStart);
  EXPECT_FALSE(schedule.failed(0, false));
  EXPECT_TRUE(schedule.all_over());
  EXPECT_FALSE(schedule.open(0));
}

}  // namespace
}  // namespace ds
