// Any program on three hosts over ssh: ranks, output, exit codes, MPI.
#include <algorithm>

#include "tests/cluster/job_fixture.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using ProgramOnThreeHosts = JobTest;

std::vector<std::string> sorted_lines(const std::string& text) {
  auto lines = split(trim(text), '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_F(ProgramOnThreeHosts, RunsTwoRanksOnEachHostAndShowsTheirLines) {
  const auto result = bed().run("node1", launch({"sh", "-c", "echo $RANK/$WORLD_SIZE $(hostname) $LOCAL_RANK"}), seconds(60));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), (std::vector<std::string>{"0/6 node1 0", "1/6 node1 1", "2/6 node2 0", "3/6 node2 1",
                                                                "4/6 node3 0", "5/6 node3 1"}));
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, EndsWithTheCodeOfTheFirstRankThatFailsAndNamesIt) {
  const auto result = bed().run("node1", launch({"sh", "-c", "if [ $RANK = 4 ]; then echo last words >&2; exit 3; fi; sleep 600"}),
                                seconds(60));
  EXPECT_EQ(result.code, 3) << result.err;
  const auto error = last_error(result.err);
  EXPECT_EQ(error.value("rank", -1), 4) << result.err;
  EXPECT_EQ(error.value("host", ""), "node3") << result.err;
  EXPECT_EQ(error.value("exit_code", -1), 3) << result.err;
  EXPECT_NE(result.err.find("last words"), std::string::npos);
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AnMpiProgramIsOneWorldOverAllHosts) {
  const auto result = bed().run("node1", launch({program("mpi_sum")}), seconds(90));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(sorted_lines(result.out), std::vector<std::string>(6, "size=6 sum=15")) << result.err;
  expect_nothing_left();
}

TEST_F(ProgramOnThreeHosts, AHostThatCannotBeReachedIsNamedAndTheJobDoesNotStart) {
  bed().cut("node3");
  const auto result = bed().run("node1", launch({"true"}), seconds(60));
  EXPECT_EQ(result.code, 75) << result.err;
  EXPECT_NE(result.err.find("node3"), std::string::npos) << result.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
