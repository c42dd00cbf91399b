// A training job that stands still is found out, its culprit named and all its processes ended; one that is slow is left alone.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/process_table.h"
#include "tests/cluster/training_job.h"
#include "tests/launcher/dslaunch_run.h"
#include "tests/launcher/shell_job.h"
#include "tests/launcher/temporary_folder.h"
#include "tests/support/poll.h"

namespace ds::testing {
namespace {

using namespace std::chrono_literals;

class Training {
 public:
  explicit Training(const TrainingJob& job, const Words& more = {}, int ranks = 2) : options_(marked()) {
    arguments_ = {"-np", std::to_string(ranks), "--oversubscribe", write_training_job(folder.path, job)};
    arguments_.insert(arguments_.end(), more.begin(), more.end());
    options_.env["XDG_STATE_HOME"] = folder.path;
  }
  const Words& arguments() const { return arguments_; }
  const RunOptions& options() const { return options_; }
  size_t steps() const { return losses_of(folder.path).size(); }

  pid_t pid_of_rank(int rank) const {
    for (const ProcessInfo& process : all_processes())
      if (process.name == "dsengine" && started_with(process.pid, "RANK=" + std::to_string(rank)) &&
          started_with(process.pid, mark()))
        return process.pid;
    return 0;
  }
  std::vector<nlohmann::json> events(const std::string& name) const {
    std::vector<nlohmann::json> found;
    std::ifstream file(folder.path + "/out/events.jsonl");
    for (std::string line; std::getline(file, line);)
      if (auto event = nlohmann::json::parse(line, nullptr, false); event.is_object() && event.value("event", "") == name)
        found.push_back(event);
    return found;
  }

  // Far enough that the launcher knows how long a step takes.
  bool trains() const {
    return wait_until([&] {
      const auto heard = events("first_step");
      return !heard.empty() && steps() >= heard[0].value("step", size_t{0}) + 12;
    }, 100s);
  }

  TemporaryFolder folder;

 private:
  Words arguments_;
  RunOptions options_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Hang, NamesTheRankThatIsStoppedAndEndsTheJob) {
  const Training training({.steps = 10000000, .zero_stage = 2});
  RunningDslaunch job(training.arguments(), training.options());
  ASSERT_TRUE(training.trains()) << job.err();
  const pid_t stopped = training.pid_of_rank(1);
  ASSERT_GT(stopped, 0);
  ::kill(stopped, SIGSTOP);
  const RunResult result = job.wait(120s);
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "the job hangs: ")) << result.err;
  EXPECT_TRUE(contains(result.err, "rank 1 on ")) << result.err;
  EXPECT_TRUE(contains(result.err, "is stopped by a signal")) << result.err;
  const auto events = training.events("hang_detected");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].value("rank", -1), 1);
  EXPECT_NE(events[0].value("host", ""), "");
  EXPECT_GT(events[0].value("seconds", 0.0), 0.0);
  EXPECT_TRUE(contains(events[0].value("reason", ""), "is stopped by a signal"));
  // Named before anything was ended.
  const auto exits = training.events("rank_exited");
  ASSERT_EQ(exits.size(), 2u);
  for (const auto& exit : exits) EXPECT_GE(exit.value("time", 0.0), events[0].value("time", 1e300));
  EXPECT_EQ(last_json(result).value("rank", -1), 1) << result.err;
  EXPECT_EQ(last_json(result).value("exit_code", -1), 1) << result.err;
  for (const char* log : {"out/logs/1/rank0.log", "out/logs/1/rank1.log"})
    EXPECT_TRUE(contains(training.folder.read(log), ": state ")) << log;  // where its threads stood
  EXPECT_EQ(processes_left(mark()), "");
}

TEST(Hang, IsAFailureLikeAnyOtherToAJobThatMayGoOn) {
  const Training training({.steps = 500, .zero_stage = 2, .checkpoint_every = 50}, {"--max-restarts", "2"});
  RunningDslaunch job(training.arguments(), training.options());
  ASSERT_TRUE(wait_until([&] { return training.steps() >= 12; }, 100s)) << job.err();
  const pid_t stopped = training.pid_of_rank(0);
  ASSERT_GT(stopped, 0);
  ::kill(stopped, SIGSTOP);
  const RunResult result = job.wait(200s);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(training.events("hang_detected").size(), 1u) << result.err;
  EXPECT_EQ(training.events("generation_running").size(), 2u);
  EXPECT_EQ(training.steps(), 500u);
  EXPECT_EQ(processes_left(mark()), "");
}

// No rank enters a collective during such a step: only the actions of its layers show that it goes on.
TEST(Hang, ALongStepIsNoHang) {
  const Training training({.steps = 3, .zero_stage = 1}, {"--job.hang_seconds", "5"});
  training.folder.write("ds_config.json", nlohmann::json{{"train_batch_size", 6000},
                                                         {"train_micro_batch_size_per_gpu", 1},
                                                         {"optimizer", {{"type", "AdamW"}, {"params", {{"lr", 1e-3}}}}},
                                                         {"zero_optimization", {{"stage", 1}}}}
                                              .dump());
  RunningDslaunch job(training.arguments(), training.options());
  const RunResult result = job.wait(500s);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(training.steps(), 3u);
  EXPECT_TRUE(training.events("hang_detected").empty());
}

// What is told of three ranks of disagreeing_trainer, whose job must have ended.
nlohmann::json hang_of_ranks_that_disagree(const std::string& disagreement) {
  const Training training({}, {"--job.hang_seconds", "5"}, 3);
  std::filesystem::create_directories(training.folder.path + "/prefix/bin");
  std::filesystem::create_symlink(test::bin_folder() + "/disagreeing_trainer", training.folder.path + "/prefix/bin/dsengine");
  Words words = {"--prefix", training.folder.path + "/prefix", "-x", "DISAGREEMENT=" + disagreement};
  words.insert(words.end(), training.arguments().begin(), training.arguments().end());
  const RunResult result = run_dslaunch(words, training.options());
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_EQ(processes_left(mark()), "");
  const auto events = training.events("hang_detected");
  if (events.size() != 1) return nlohmann::json::object();
  for (const auto& exit : training.events("rank_exited")) EXPECT_GE(exit.value("time", 0.0), events[0].value("time", 1e300));
  EXPECT_EQ(training.events("rank_exited").size(), 3u);
  EXPECT_TRUE(contains(result.err, "the job hangs: ")) << result.err;
  EXPECT_TRUE(contains(result.err, events[0].value("reason", "none"))) << result.err;
  return events[0];
}

TEST(Hang, ACollectiveOfUnequalSizesNamesTheRankThatIsStuckInIt) {
  const auto hang = hang_of_ranks_that_disagree("sizes");
  EXPECT_EQ(hang.value("rank", -1), 1) << hang;
  EXPECT_TRUE(contains(hang.value("reason", ""), " has not entered collective 1002, in which 2 others wait; still inside collective "
                                                 "1001, which 2 others have finished")) << hang;
}

TEST(Hang, ACollectiveThatARankLeavesOutNamesThatRank) {
  const auto hang = hang_of_ranks_that_disagree("absent");
  EXPECT_EQ(hang.value("rank", -1), 1) << hang;
  EXPECT_TRUE(contains(hang.value("reason", ""), " has not entered collective 1001, in which 2 others wait")) << hang;
}

TEST(Hang, ALimitThatMakesNoSenseIsRefused) {
  for (const char* bad : {"-1", "3", "1.5", "soon"}) {
    const Training training({.steps = 2}, {"--job.hang_seconds", bad});
    const RunResult result = run_dslaunch(training.arguments(), training.options());
    EXPECT_EQ(result.code, 2) << bad;
    EXPECT_TRUE(contains(result.err, "job.hang_seconds")) << result.err;
  }
}

}  // namespace
}  // namespace ds::testing
