// What comes first, who shares a line, and what has a colour.
#include <gtest/gtest.h>

#include "tests/launcher/shell_job.h"

namespace ds::testing {
namespace {

TEST(OutputOrder, TheFirstFailureComesBeforeWhatOtherRanksSayBecauseOfIt) {
  RunResult result = run_dslaunch(shell(4, "if [ $RANK = 2 ]; then echo boom >&2; exit 7; fi; "
                                           "trap 'echo noise of $RANK >&2; exit 1' TERM; sleep 300 & wait"));
  EXPECT_EQ(result.code, 7) << result.err;
  const size_t failure = result.err.find("rank 2 on "), noise = result.err.find("noise of");
  ASSERT_NE(failure, std::string::npos) << result.err;
  ASSERT_NE(noise, std::string::npos) << result.err;
  EXPECT_LT(failure, noise) << result.err;
  EXPECT_NE(result.err.find("exited with code 7; its last output:\nboom\n"), std::string::npos) << result.err;
  const size_t report = result.err.rfind("last output of rank 2");
  EXPECT_GT(report, result.err.rfind("noise of")) << result.err;
  EXPECT_EQ(last_json(result)["rank"], 2);
}

TEST(OutputOrder, AFailureWithoutNoiseIsToldOnce) {
  RunResult result = run_dslaunch(shell(2, "[ $RANK = 0 ] || exec sleep 300; echo boom >&2; exit 7"));
  EXPECT_EQ(result.code, 7);
  EXPECT_NE(result.err.find("last output of rank 0"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("its last output:"), std::string::npos) << result.err;
}

TEST(OutputOrder, RanksWithoutALastNewlineShareNoLine) {
  RunResult result = run_dslaunch(shell(3, "printf %s $RANK$RANK"));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(sorted_lines(result.out), (Words{"00", "11", "22"}));
  EXPECT_EQ(run_dslaunch(shell(1, "printf half")).out, "half");
}

TEST(OutputOrder, TagsHaveTheColourOfTheRankWhereColoursAreWanted) {
  const Words tagged = {"--tag-output"}, always = {"--tag-output", "--color", "always"};
  EXPECT_EQ(run_dslaunch(shell(1, "echo x", tagged)).out, "[1,0]<stdout>:x\n") << "a file has no colours";
  const RunResult coloured = run_dslaunch(shell(2, "echo x", always));
  EXPECT_NE(coloured.out.find("\033[36m[1,0]<stdout>:\033[0mx\n"), std::string::npos) << coloured.out;
  EXPECT_NE(coloured.out.find("\033[33m[1,1]<stdout>:\033[0mx\n"), std::string::npos) << coloured.out;
  EXPECT_EQ(run_dslaunch({"--color", "blue", "true"}).code, 2);
}

}  // namespace
}  // namespace ds::testing
