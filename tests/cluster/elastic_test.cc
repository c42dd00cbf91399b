// Jobs that go on: whatever dies, the ranks start again on the hosts that are there, and the numbers are those of a run that
// nothing happened to. Limits are those of a loaded machine of two cores.
#include <signal.h>

#include <fstream>
#include <functional>
#include <map>

#include "tests/cluster/job_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

constexpr int kSteps = 60;

class ElasticTest : public JobTest {
 protected:
  std::string job(const std::string& name, int steps = kSteps) {
    return write_training_job(folder(name), {.steps = steps, .checkpoint_every = 5});
  }

  HostCommand start(const std::string& config, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--elastic", config, "--elastic.grow_after", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return bed().start("node1", launch(words));
  }

  // The curve of a run that nothing happens to.
  std::vector<double> calm_curve() {
    const std::string config = job("calm");
    HostCommand run = bed().start("node1", launch({config}));
    EXPECT_EQ(run.wait(seconds(120)).value_or(-1), 0) << run.err();
    return losses_of(folder("calm"));
  }

  ::testing::AssertionResult reaches(HostCommand& run, const std::string& name, size_t steps) {
    if (wait_until([&] { return losses_of(folder(name)).size() >= steps || !run.running(); }, seconds(90)) && run.running())
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no step " << steps << ": " << run.err();
  }

  std::vector<nlohmann::json> events(const std::string& name, const std::string& what) {
    std::ifstream file(folder(name) + "/out/events.jsonl");
    std::vector<nlohmann::json> found;
    for (std::string line; std::getline(file, line);)
      if (const auto event = nlohmann::json::parse(line, nullptr, false); event.is_object() && event.value("event", "") == what)
        found.push_back(event);
    return found;
  }

  bool happens(const std::string& name, const std::string& what, size_t times, seconds limit) {
    return wait_until([&] { return events(name, what).size() >= times; }, limit);
  }

  void kill_agent(const std::string& host) {
    for (const auto& seen : bed().processes(host))
      if (is_agent(seen)) ::kill(seen.pid, SIGKILL);
  }
};

TEST_F(ElasticTest, AKilledRankCostsNoStepAndNoDigit) {
  const std::vector<double> calm = calm_curve();
  const std::string config = job("rank");
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "rank", 12));
  bed().kill_process("node2", "dsengine");
  EXPECT_EQ(run.wait(seconds(120)).value_or(-1), 0) << run.err();
  EXPECT_EQ(losses_of(folder("rank")), calm) << run.err();  // the same ranks on the same hosts: bit for bit
  EXPECT_EQ(events("rank", "generation_running").size(), 2u);
  EXPECT_NE(run.err().find("starting again: 6 ranks on node1, node2, node3, from step"), std::string::npos) << run.err();
  expect_nothing_left();
}

TEST_F(ElasticTest, ALostHostIsDoneWithoutAndTakenInWhenItIsBack) {
  const std::vector<double> calm = calm_curve();
  const std::string config = job("agent", 400);
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "agent", 12));
  kill_agent("node2");
  ASSERT_TRUE(happens("agent", "host_recovered", 1, seconds(60))) << run.err();
  ASSERT_TRUE(happens("agent", "generation_running", 3, seconds(60))) << run.err();
  EXPECT_EQ(run.wait(seconds(180)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("4 ranks on node1, node3 (there were 6)"), std::string::npos) << run.err();
  EXPECT_NE(run.err().find("6 ranks on node1, node2, node3 (there were 4)"), std::string::npos) << run.err();
  std::vector<double> curve = losses_of(folder("agent"));
  ASSERT_EQ(curve.size(), 400u);
  curve.resize(calm.size());
  EXPECT_LT(worst_difference(curve, calm), 1e-5);  // sums over four ranks round otherwise than over six
  expect_nothing_left();
}

TEST_F(ElasticTest, AHostWithoutPowerIsDoneWithout) {
  const std::string config = job("power");
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "power", 12));
  bed().kill_host("node3");
  EXPECT_EQ(run.wait(seconds(150)).value_or(-1), 0) << run.err();
  EXPECT_EQ(losses_of(folder("power")).size(), static_cast<size_t>(kSteps));
  EXPECT_EQ(events("power", "host_lost").size(), 1u);
}

TEST_F(ElasticTest, TheHostOfRank0MayBeTheOneThatDies) {
  const std::string config = job("first");
  const std::string hosts = folder("first") + "/hosts";
  std::ofstream(hosts) << "node2 slots=2\nnode3 slots=2\n";
  HostCommand run = bed().start("node1", {program("dslaunch"), "--hostfile", hosts, "--elastic", config});
  ASSERT_TRUE(reaches(run, "first", 12));
  bed().kill_host("node2");
  EXPECT_EQ(run.wait(seconds(150)).value_or(-1), 0) << run.err();
  EXPECT_EQ(losses_of(folder("first")).size(), static_cast<size_t>(kSteps));
  EXPECT_NE(run.err().find("2 ranks on node3 (there were 4)"), std::string::npos) << run.err();
}

TEST_F(ElasticTest, RanksAndRankServersThatDieTogetherAreStartedAgainWhereTheyWere) {
  const std::string config = job("all", 400);
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "all", 12));
  for (const auto& seen : bed().processes("node2"))
    if (seen.name == "dsengine") ::kill(seen.pid, SIGKILL);
  ASSERT_TRUE(happens("all", "generation_running", 2, seconds(60))) << run.err();
  for (const auto& seen : bed().processes("node3"))
    if (is_rank_server(seen)) ::kill(seen.pid, SIGKILL);
  EXPECT_EQ(run.wait(seconds(180)).value_or(-1), 0) << run.err();
  EXPECT_EQ(events("all", "generation_running").size(), 3u);
  EXPECT_EQ(events("all", "host_lost").size(), 0u);
  EXPECT_EQ(run.err().find("there were"), std::string::npos) << run.err();
  EXPECT_EQ(losses_of(folder("all")).size(), 400u);
  expect_nothing_left();
}

// The host ends its old ranks by its lease; a new agent must not meet them.
TEST_F(ElasticTest, ACutHostIsTakenInAgainWhenItsLinkIsBack) {
  const std::string config = job("cut", 1000000);
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "cut", 12));
  bed().cut("node3");
  ASSERT_TRUE(happens("cut", "generation_running", 2, seconds(60))) << run.err();
  bed().heal("node3");
  ASSERT_TRUE(happens("cut", "host_recovered", 1, seconds(120))) << run.err();
  ASSERT_TRUE(happens("cut", "generation_running", 3, seconds(60))) << run.err();
  const size_t before = losses_of(folder("cut")).size();
  EXPECT_TRUE(reaches(run, "cut", before + 20));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(seconds(60)).value_or(-1), 130) << run.err();
  expect_nothing_left(seconds(30));
}

TEST_F(ElasticTest, ASpareHostTakesThePlaceOfALostOne) {
  const std::string config = job("spare");
  HostCommand run = start(config, {"--elastic.max_ranks", "4"});
  ASSERT_TRUE(reaches(run, "spare", 12));
  bed().kill_host("node2");
  EXPECT_EQ(run.wait(seconds(150)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("4 ranks on node1, node3"), std::string::npos) << run.err();
}

TEST_F(ElasticTest, TooFewHostsAreWaitedForAndThenItIs75) {
  const std::string config = job("few", 100000);
  HostCommand run = start(config, {"--elastic.min_ranks", "6", "--elastic.join_wait", "4"});
  ASSERT_TRUE(reaches(run, "few", 12));
  bed().kill_host("node3");
  EXPECT_EQ(run.wait(seconds(60)).value_or(-1), 75) << run.err();
  EXPECT_NE(last_error(run.err()).value("error", "").find("too few hosts: waited 4 s for node3"), std::string::npos) << run.err();
}

TEST_F(ElasticTest, AJobBelowItsMinimumWaitsAndGoesOnWithTheSameNumbers) {
  const std::vector<double> calm = calm_curve();
  const std::string config = job("minimum");
  HostCommand run = start(config, {"--elastic.min_ranks", "6", "--elastic.join_wait", "60"});
  ASSERT_TRUE(reaches(run, "minimum", 12));
  kill_agent("node2");
  EXPECT_EQ(run.wait(seconds(150)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("waiting up to 60 s for node2"), std::string::npos) << run.err();
  EXPECT_EQ(events("minimum", "host_recovered").size(), 1u);
  EXPECT_EQ(events("minimum", "generation_running").size(), 2u) << run.err();
  EXPECT_EQ(losses_of(folder("minimum")), calm) << run.err();
  expect_nothing_left();
}

TEST_F(ElasticTest, AHostThatIsDownAtTheStartIsDoneWithoutIfEnoughAreThere) {
  bed().kill_host("node3");
  const std::string config = job("start", 20);
  HostCommand run = start(config);
  EXPECT_EQ(run.wait(seconds(120)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("the job starts without them"), std::string::npos) << run.err();
  HostCommand more = start(job("start6", 20), {"--elastic.min_ranks", "6", "--elastic.join_wait", "3"});
  EXPECT_EQ(more.wait(seconds(60)).value_or(-1), 75) << more.err();
}

TEST_F(ElasticTest, AHostThatComesAndGoesIsLeftAlone) {
  const std::string config = job("flap", 1000000);
  HostCommand run = start(config);
  for (size_t time = 1; time <= 3; ++time) {
    ASSERT_TRUE(happens("flap", "generation_running", 2 * time - 1, seconds(90))) << run.err();
    kill_agent("node2");
    ASSERT_TRUE(happens("flap", "host_lost", time, seconds(30))) << run.err();
  }
  ASSERT_TRUE(happens("flap", "generation_running", 6, seconds(60))) << run.err();  // without node2
  EXPECT_EQ(events("flap", "host_recovered").size(), 2u) << run.err();
  run.signal(SIGINT);
  EXPECT_EQ(run.wait(seconds(60)).value_or(-1), 130) << run.err();
  EXPECT_EQ(events("flap", "host_recovered").size(), 2u) << run.err();
  expect_nothing_left();
}

TEST_F(ElasticTest, RanksThatNeverReachAStepEndItWith93) {
  const std::string config = job("stuck");
  HostCommand run = start(config);
  const bool ended = wait_until(
      [&] {
        for (const auto& seen : bed().processes("node2"))
          if (seen.name == "dsengine") ::kill(seen.pid, SIGKILL);
        return !run.running();
      },
      seconds(120));
  EXPECT_TRUE(ended) << run.err();
  EXPECT_EQ(run.wait(seconds(10)).value_or(-1), 93) << run.err();
  expect_nothing_left();
}

// It is no reason to give the job up, though ranks are started there again and again.
TEST_F(ElasticTest, AHostThatCannotStartRanksIsDoneWithout) {
  const std::string config = job("fault", 400);
  HostCommand run = start(config);
  ASSERT_TRUE(reaches(run, "fault", 12));
  ASSERT_EQ(bed().run("node2", {"mount", "-t", "tmpfs", "-o", "ro", "none", "/dev/shm"}).code, 0);
  bed().kill_process("node1", "dsengine");
  EXPECT_EQ(run.wait(seconds(180)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("4 ranks on node1, node3 (there were 6)"), std::string::npos) << run.err();
  EXPECT_EQ(losses_of(folder("fault")).size(), 400u);
}

TEST_F(ElasticTest, AHostThatCannotEvenBeginIsDoneWithout) {
  const std::string config = job("begin");
  ASSERT_EQ(bed().run("node2", {"mount", "-t", "tmpfs", "-o", "ro", "none", "/dev/shm"}).code, 0);
  HostCommand run = start(config);
  EXPECT_EQ(run.wait(seconds(120)).value_or(-1), 0) << run.err();
  EXPECT_NE(run.err().find("node2"), std::string::npos) << run.err();
  EXPECT_EQ(losses_of(folder("begin")).size(), static_cast<size_t>(kSteps));
}

TEST_F(ElasticTest, AStopEndsAJobThatWaitsForHosts) {
  const std::string config = job("stop", 100000);
  HostCommand run = start(config, {"--elastic.min_ranks", "6", "--elastic.join_wait", "600"});
  ASSERT_TRUE(reaches(run, "stop", 12));
  bed().kill_host("node3");
  ASSERT_TRUE(wait_until([&] { return run.err().find("waiting up to 600 s for node3") != std::string::npos; }, seconds(60))) << run.err();
  run.signal(SIGTERM);
  EXPECT_EQ(run.wait(seconds(30)).value_or(-1), 143) << run.err();
}

}  // namespace
}  // namespace ds::testing
