// A training job whose control port is flooded trains what it would have trained alone.
#include <gtest/gtest.h>

#include <vector>

#include "agent/open_file_limit.h"
#include "launcher/records/job_file.h"
#include "tests/cluster/training_job.h"
#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/stranger.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/poll.h"

namespace ds::testing {
namespace {

using namespace std::chrono_literals;

// Training takes several times as long as the flood: the port is open for all of it.
constexpr int kStrangers = 10000, kSteps = 1000;

class Trained {
 public:
  Trained() : config_(write_training_job(folder.path, {.steps = kSteps})) { options.env["XDG_STATE_HOME"] = folder.path; }
  std::vector<std::string> arguments() const { return {"-np", "2", "--oversubscribe", config_}; }
  std::vector<double> losses() const { return losses_of(folder.path); }

  TemporaryFolder folder;
  RunOptions options;

 private:
  std::string config_;
};

TEST(StrangersWhileTraining, ChangeNoLossAndTheJobEndsWithZero) {
  const OpenFileLimit limit;
  if (limit.now() < kStrangers + 200) GTEST_SKIP() << "only " << limit.now() << " files may be open here";
  const Trained alone, flooded;
  const RunResult expected = run_dslaunch(alone.arguments(), alone.options);
  ASSERT_EQ(expected.code, 0) << expected.err;

  RunningDslaunch job(flooded.arguments(), flooded.options);
  ASSERT_TRUE(wait_until([&] { return !flooded.losses().empty(); }, 100s)) << job.err();
  const JobFile file = find_job(flooded.folder.path + "/dslaunch", "");
  std::vector<FileDescriptor> flood;
  for (int i = 0; i < kStrangers; ++i) {
    flood.push_back(connect_from("127.0.0." + std::to_string(11 + i % 5), file.port));
    ASSERT_TRUE(flood.back()) << "stranger " << i << ": the port is closed; " << job.err();
    say(flood.back().get(), std::string(static_cast<size_t>(i % 100), 'x'));  // nothing, half a proof, a wrong one
  }
  const RunResult result = job.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(flooded.losses(), alone.losses());
  EXPECT_EQ(flooded.losses().size(), static_cast<size_t>(kSteps));
  EXPECT_NE(result.err.find("refused a connection from 127.0.0.11:"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ds::testing
