// Strangers on the control port of a running job: nothing gets in, the job does not notice, the log says who.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "launcher/job/job_client.h"
#include "launcher/records/job_file.h"
#include "agent/open_file_limit.h"
#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/simulated_cluster.h"
#include "tests/launcher/stranger.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/places.h"
#include "tests/support/poll.h"
#include "topology/base/text.h"

namespace ds::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr size_t kChallengeBytes = 40, kProofBytes = 64, kMacBytes = 32;
constexpr int kFewDescriptors = 256;  // soft and hard limit of the launcher

// A job that runs until the test lets it go, under a launcher that may have few descriptors.
class Strangers : public ::testing::Test {
 protected:
  Strangers() {
    options.env["XDG_STATE_HOME"] = folder.path + "/state";
    options.program = "sh";
    const std::string script = "echo ready; while [ ! -e " + folder.path + "/go ]; do sleep 0.05; done; echo done";
    job.emplace(std::vector<std::string>{"-c", "ulimit -n " + std::to_string(kFewDescriptors) + R"( && exec "$0" "$@")",
                                         test::bin_folder() + "/dslaunch", "--output", folder.path + "/out", "-np", "2",
                                         "--oversubscribe", "sh", "-c", script},
                options);
    options.program.clear();
  }

  void SetUp() override {
    ASSERT_TRUE(wait_until([&] { return job->out() == "ready\nready\n"; }, 60s)) << job->err();
    file = find_job(folder.path + "/state/dslaunch", "");
  }

  void expect_that_the_job_noticed_nothing() {
    const RunResult status = run_dslaunch({"status"}, options);
    EXPECT_EQ(status.code, 0) << status.err;
    EXPECT_NE(status.out.find("running"), std::string::npos) << status.out;
    folder.write("go", "");
    const RunResult result = job->wait();
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "ready\nready\ndone\ndone\n");
  }

  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    for (const std::string& line : split(job->err(), '\n'))
      if (line.find("refused") != std::string::npos) lines.push_back(line);
    return lines;
  }

  bool is_told(const std::string& source, const std::string& reason) {
    return wait_until(
        [&] {
          const auto lines = log();
          return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.find("from " + source + ":") != std::string::npos && line.find(reason) != std::string::npos;
          });
        },
        60s);
  }

  TemporaryFolder folder;
  RunOptions options;
  std::optional<RunningDslaunch> job;
  JobFile file;
};

TEST_F(Strangers, WithoutAKeyHearAChallengeAndNothingElse) {
  const FileDescriptor fd = connect_from("127.0.0.11", file.port);
  say(fd.get(), "GET /status HTTP/1.1\r\nHost: localhost\r\nUser-Agent: somebody who is curious\r\n\r\n");
  const Hearing hearing = hear_until_closed(fd.get());
  EXPECT_TRUE(hearing.closed);
  EXPECT_EQ(hearing.bytes.size(), kChallengeBytes);
  EXPECT_TRUE(is_told("127.0.0.11", "does not know the key")) << job->err();
  expect_that_the_job_noticed_nothing();
}

TEST_F(Strangers, WithAWrongKeyAreClosedOut) {
  JobFile wrong = file;
  wrong.key[0] = static_cast<char>(wrong.key[0] ^ 1);
  EXPECT_ANY_THROW(ask_job(wrong, "stop", {}, 10s));
  EXPECT_TRUE(is_told("127.0.0.1", "does not know the key")) << job->err();
  expect_that_the_job_noticed_nothing();
}

TEST_F(Strangers, WhoReplayARecordedConversationHearNothingNew) {
  std::string recorded;
  {
    Eavesdropper between(file.port);
    JobFile through = file;
    through.port = between.port();
    ask_job(through, "stop-checkpoint", {}, 10s);  // answered with an error: this is no training job
    recorded = between.heard_from_client();
  }
  ASSERT_GT(recorded.size(), kProofBytes + kMacBytes);
  const FileDescriptor fd = connect_from("127.0.0.12", file.port);
  say(fd.get(), recorded);
  const Hearing hearing = hear_until_closed(fd.get());
  EXPECT_TRUE(hearing.closed);
  EXPECT_EQ(hearing.bytes.size(), kChallengeBytes);
  EXPECT_TRUE(is_told("127.0.0.12", "does not know the key")) << job->err();
  expect_that_the_job_noticed_nothing();
}

TEST_F(Strangers, WhoRepeatAFrameOnALivingConnectionEndIt) {
  Eavesdropper between(file.port);
  JobFile through = file;
  through.port = between.port();
  std::jthread client([&] {  // stays connected until the job ends
    try {
      ask_job(through, "status", {}, 60s, true, 60s);
    } catch (const std::exception&) {
    }
  });
  size_t request = 0;
  ASSERT_TRUE(wait_until([&] { return (request = between.heard_from_client().size()) > kProofBytes + kMacBytes; }, 60s));
  between.repeat_last(request - kProofBytes);
  EXPECT_TRUE(wait_until([&] { return between.ended_by_server(); }, 60s));
  EXPECT_TRUE(is_told("127.0.0.1", "wrong MAC")) << job->err();
  expect_that_the_job_noticed_nothing();
}

TEST_F(Strangers, WithHalfFramesAreWaitedForOnlySoLong) {
  const FileDescriptor silent = connect_from("127.0.0.13", file.port), half = connect_from("127.0.0.14", file.port);
  say(half.get(), std::string(kProofBytes / 2, 'h'));
  {
    const FileDescriptor gone = connect_from("127.0.0.15", file.port);
    say(gone.get(), std::string(kProofBytes - 1, 'g'));
  }
  // "closed", or "reset" when our greeting came before it left and was not read.
  EXPECT_TRUE(is_told("127.0.0.15", "connection")) << job->err();
  EXPECT_TRUE(hear_until_closed(silent.get()).closed);
  EXPECT_TRUE(hear_until_closed(half.get()).closed);
  EXPECT_TRUE(is_told("127.0.0.13", "no proof")) << job->err();
  EXPECT_TRUE(is_told("127.0.0.14", "no proof")) << job->err();
  expect_that_the_job_noticed_nothing();
}

size_t descriptors_of(pid_t pid) {
  const fs::directory_iterator all("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST_F(Strangers, TenThousandOfThemKeepNoClientOutAndTakeNoDescriptors) {
  const OpenFileLimit limit;
  const size_t wanted = 10000;
  if (limit.now() < wanted + 200) GTEST_SKIP() << "only " << limit.now() << " files may be open here";
  std::vector<FileDescriptor> flood;
  size_t most_descriptors = 0;
  for (size_t i = 0; i < wanted; ++i) {
    flood.push_back(connect_from("127.0.0.1", file.port));
    if (i % 1000 != 999) continue;
    const RunResult status = run_dslaunch({"status"}, options);
    EXPECT_EQ(status.code, 0) << "with " << i + 1 << " strangers: " << status.err;
    most_descriptors = std::max(most_descriptors, descriptors_of(job->pid()));
  }
  EXPECT_LT(most_descriptors, static_cast<size_t>(kFewDescriptors));
  EXPECT_LE(log().size(), 8u) << job->err();
  EXPECT_TRUE(is_told("127.0.0.1", "have not proved")) << job->err();
  expect_that_the_job_noticed_nothing();
  EXPECT_LE(log().size(), 10u) << "the rest is counted: " << job->err();
  const std::string events = folder.read("out/events.jsonl");
  EXPECT_NE(events.find("\"event\":\"connection_refused\""), std::string::npos) << events;
}

TEST_F(Strangers, AClientThatIsPushedOutBeforeItsProofAsksAgain) {
  const Eavesdropper between(file.port, 3);
  JobFile through = file;
  through.port = between.port();
  EXPECT_NE(ask_job(through, "status", {}, 10s).text.find("running"), std::string::npos);
}

TEST_F(Strangers, DoNotKeepAStopOut) {
  std::vector<FileDescriptor> flood;
  for (int i = 0; i < 300; ++i) flood.push_back(connect_from("127.0.0.1", file.port));
  EXPECT_EQ(run_dslaunch({"stop"}, options).code, 0);
  EXPECT_EQ(job->wait().code, 143);
}

TEST(StrangersAtTheStart, DoNotKeepAgentsOut) {
  const SimulatedCluster cluster({.num_hosts = 100});
  int port = 0;
  {
    const Eavesdropper free_port(0);
    port = free_port.port();
  }
  std::jthread flood([port](std::stop_token stop) {
    std::vector<FileDescriptor> open(200);
    for (size_t i = 0; !stop.stop_requested(); i = (i + 1) % open.size()) open[i] = connect_from("127.0.0.1", port);
  });
  RunOptions options;
  options.env = cluster.environment();
  options.program = "sh";
  const std::string range = std::to_string(port) + "-" + std::to_string(port + 9);  // the first one is the launcher's
  const RunResult result =
      run_dslaunch({"-c", "ulimit -n " + std::to_string(kFewDescriptors) + R"( && exec "$0" "$@")",
                    test::bin_folder() + "/dslaunch", "--ports", range, "program"},
                   options);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("refused a connection from 127.0.0.1:"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ds::testing
