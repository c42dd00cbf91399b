// A training job whose control port is flooded trains what it would have trained alone.
#include <gtest/gtest.h>

#include <vector>

#include "launcher/records/job_file.h"
#include "tests/cluster/training_job.h"
#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/stranger.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/poll.h"

namespace ds::testing {
namespace {

using namespace std::chrono_literals;

class Trained {
 public:
  Trained() : config_(write_training_job(folder.path, {.steps = 60})) { options.env["XDG_STATE_HOME"] = folder.path; }
  std::vector<std::string> arguments() const { return {"-np", "2", "--oversubscribe", config_}; }
  std::vector<double> losses() const { return losses_of(folder.path); }

  TemporaryFolder folder;
  RunOptions options;

 private:
  std::string config_;
};

TEST(StrangersWhileTraining, ChangeNoLossAndTheJobEndsWithZero) {
  const Trained alone, flooded;
  const RunResult expected = run_dslaunch(alone.arguments(), alone.options);
  ASSERT_EQ(expected.code, 0) << expected.err;

  RunningDslaunch job(flooded.arguments(), flooded.options);
  ASSERT_TRUE(wait_until([&] { return !flooded.losses().empty(); }, 100s)) << job.err();
  const JobFile file = find_job(flooded.folder.path + "/dslaunch", "");
  std::vector<FileDescriptor> flood;
  for (int i = 0; i < 2000; ++i) {
    flood.push_back(connect_from("127.0.0." + std::to_string(11 + i % 5), file.port));
    say(flood.back().get(), std::string(static_cast<size_t>(i % 100), 'x'));  // nothing, half a proof, a wrong one
  }
  const RunResult result = job.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(flooded.losses(), alone.losses());
  EXPECT_EQ(flooded.losses().size(), 60u);
  EXPECT_NE(result.err.find("refused a connection from 127.0.0.11:"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ds::testing
