// What /proc tells of processes, and of those killed for memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "agent/oom_kills.h"
#include "agent/process_table.h"

namespace ds {

TEST(ProcessTable, TheNameMayHoldParenthesesAndSpaces) {
  const auto info = parse_stat("12 (a) b (c)) S 7 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 10 20\n");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->pid, 12);
  EXPECT_EQ(info->name, "a) b (c)");
  EXPECT_EQ(info->state, 'S');
  EXPECT_EQ(info->parent, 7);
  EXPECT_EQ(info->start_time, 98765u);
  EXPECT_FALSE(parse_stat(""));
  EXPECT_FALSE(parse_stat("12 (a"));
  EXPECT_FALSE(parse_stat("12 (a) S 1"));
}

TEST(ProcessTable, DescendantsAreFoundAtAnyDepthAndInAnyOrder) {
  const std::vector<ProcessInfo> all = {
      {5, 4, 0, 'S', "e"}, {4, 2, 0, 'S', "d"}, {2, 1, 0, 'S', "b"}, {3, 1, 0, 'S', "c"}};
  const auto below = descendants(all, 2);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0].pid, 4);
  EXPECT_EQ(below[1].pid, 5);
}

TEST(ProcessTable, AnotherStartTimeIsAnotherProcess) {
  const auto self = process_info(getpid());
  ASSERT_TRUE(self);
  ProcessInfo other = *self;
  other.start_time -= 1;
  signal_exactly(other, SIGKILL);
  SUCCEED() << "still alive";
}

TEST(OomKills, AreCountedByTheKernel) {
  EXPECT_EQ(oom_kills_in("nr_free_pages 5\noom_kill 7\nlast 1\n"), 7u);
  EXPECT_EQ(oom_kills_in("nr_free_pages 5\n"), 0u);
  EXPECT_EQ(oom_kills_in(""), 0u);
}

TEST(OomKills, OfADeadAgentsHostAreToldByItsSweepWhateverElseIsSaid) {
  EXPECT_EQ(oom_kills_told("Welcome to node2!\n" + oom_kills_line(12) + "Connection closed.\n"), 12u);
  EXPECT_EQ(oom_kills_told("Welcome to node2!\ndsagent: cannot be killed: 12 (python)\n"), 0u);
  EXPECT_EQ(oom_kills_told("dsagent: out-of-memory kills: many\n"), 0u);
  EXPECT_EQ(oom_kills_told(""), 0u);
}

}  // namespace ds
