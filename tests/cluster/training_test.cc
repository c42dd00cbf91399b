// Training over three hosts equals training in one process.
#include "tests/cluster/job_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;
using TrainingOnThreeHosts = JobTest;

TEST_F(TrainingOnThreeHosts, SixRanksGiveTheLossesOfOne) {
  const auto one = write_training_job(folder("one"), {});
  const auto alone = bed().run("node1", {program("dslaunch"), "-np", "1", one}, seconds(120));
  ASSERT_EQ(alone.code, 0) << alone.err;
  const auto expected = losses_of(folder("one"));
  ASSERT_EQ(expected.size(), 20u);
  EXPECT_LT(expected.back(), expected.front());
  for (const int stage : {0, 1, 2, 3}) {
    const std::string name = "stage" + std::to_string(stage);
    const auto config = write_training_job(folder(name), {.zero_stage = stage});
    const auto result = bed().run("node1", launch({config}), seconds(180));
    ASSERT_EQ(result.code, 0) << result.err;
    // fp32: orders of summation differ between one rank and six, by some units in the last place.
    EXPECT_LT(worst_difference(losses_of(folder(name)), expected), 1e-5) << name;
    expect_nothing_left();
  }
}

}  // namespace
}  // namespace ds::testing
