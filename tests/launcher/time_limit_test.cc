// What a passed --timeout tells before it ends the job.
#include <gtest/gtest.h>

#include "tests/launcher/shell_job.h"

namespace ds::testing {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TimeLimit, ReportsTheStateOfEveryRank) {
  RunResult result = run_dslaunch(shell(2, "[ $RANK = 1 ] && exit 0; exec sleep 300", {"--timeout", "2", "--report-state-on-timeout"}), marked());
  EXPECT_EQ(result.code, 110) << result.err;
  EXPECT_TRUE(contains(result.err, ": running\n")) << result.err;
  EXPECT_TRUE(contains(result.err, ": has ended\n")) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(TimeLimit, ShowsWhereTheThreadsOfRanksStand) {
  RunResult result = run_dslaunch(shell(2, "exec sleep 300", {"--timeout", "1", "--get-stack-traces"}), marked());
  EXPECT_EQ(result.code, 110) << result.err;
  for (const char* rank : {"0", "1"}) EXPECT_TRUE(contains(result.err, std::string("stack traces of rank ") + rank + ", pid ")) << result.err;
  for (const char* rank : {"0", "1"})  // one after the other, not a line of this and a line of that
    EXPECT_EQ(result.err.find("thread ", result.err.find(std::string("stack traces of rank ") + rank)),
              result.err.find('\n', result.err.find(std::string("stack traces of rank ") + rank)) + 1) << result.err;
  const bool told = contains(result.err, "nanosleep") || contains(result.err, "waits in");  // by a debugger, by the kernel
  EXPECT_TRUE(told) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
}

}  // namespace
}  // namespace ds::testing
