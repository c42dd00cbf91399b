// A launcher that dies and one that takes its place: the ranks of an elastic job go on as if nothing had happened.
#include <signal.h>

#include <fstream>
#include <optional>
#include <random>

#include "tests/cluster/job_fixture.h"

namespace ds::testing {
namespace {

using std::chrono::seconds;

constexpr int kSteps = 200, kManySteps = 600;

// Ranks on node2 and node3, the launcher on node1.
class TakeoverTest : public JobTest {
 protected:
  HostCommand start(const std::string& from, const std::string& name, int steps = kSteps, bool elastic = true) {
    const std::string config = write_training_job(folder(name), {.steps = steps, .checkpoint_every = 5});
    const std::string hosts = folder(name) + "/hosts";
    std::ofstream(hosts) << "node2 slots=2\nnode3 slots=2\n";
    std::vector<std::string> words = {program("dslaunch"), "--hostfile", hosts, config};
    if (elastic) words.push_back("--elastic");
    return bed().start(from, words);
  }

  ::testing::AssertionResult reaches(HostCommand& run, const std::string& name, size_t steps) {
    if (wait_until([&] { return losses_of(folder(name)).size() >= steps || !run.running(); }, seconds(90)) && run.running())
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no step " << steps << ": " << run.err();
  }

  size_t count(const std::string& name, const std::string& event) {
    std::ifstream file(folder(name) + "/out/events.jsonl");
    size_t found = 0;
    for (std::string line; std::getline(file, line);)
      if (const auto one = nlohmann::json::parse(line, nullptr, false); one.is_object() && one.value("event", "") == event) ++found;
    return found;
  }

  std::vector<double> calm_curve(int steps = kSteps) {
    HostCommand run = start("node1", "calm", steps);
    EXPECT_EQ(run.wait(seconds(180)).value_or(-1), 0) << run.err();
    return losses_of(folder("calm"));
  }

  std::vector<pid_t> ranks() {
    std::vector<pid_t> pids;
    for (const char* host : {"node2", "node3"})
      for (const auto& seen : bed().processes(host))
        if (seen.name == "dsengine") pids.push_back(seen.pid);
    return pids;
  }

  // The job at step 12, and then without its launcher.
  void orphan(const std::string& name, int steps = kSteps) {
    HostCommand first = start("node1", name, steps);
    ASSERT_TRUE(reaches(first, name, 12));
    ASSERT_TRUE(wait_until([&] { return count(name, "first_step") == 1; }, seconds(30)));
    bed().kill_process("node1", "dslaunch");
    ASSERT_EQ(first.wait(seconds(20)).value_or(-1), 137);
  }
};

TEST_F(TakeoverTest, TheRanksGoOnUnderTheNextLauncher) {
  const std::vector<double> calm = calm_curve();
  ASSERT_NO_FATAL_FAILURE(orphan("next"));
  const std::vector<pid_t> before = ranks();
  ASSERT_EQ(before.size(), 4u);
  HostCommand second = start("node1", "next");
  ASSERT_TRUE(wait_until([&] { return second.err().find("took over 4 ranks of generation 1") != std::string::npos || !second.running(); }, seconds(60))) << second.err();
  EXPECT_EQ(ranks(), before) << second.err();
  EXPECT_EQ(second.wait(seconds(180)).value_or(-1), 0) << second.err();
  EXPECT_EQ(losses_of(folder("next")), calm);
  EXPECT_EQ(count("next", "generation_running"), 1u) << second.err();
  EXPECT_EQ(count("next", "launcher_replaced"), 1u);
  expect_nothing_left();
}

TEST_F(TakeoverTest, ARankThatDiesMeanwhileIsAFailureLikeAnyOther) {
  const std::vector<double> calm = calm_curve();
  ASSERT_NO_FATAL_FAILURE(orphan("rank"));
  bed().kill_process("node2", "dsengine");
  HostCommand second = start("node1", "rank");
  EXPECT_EQ(second.wait(seconds(180)).value_or(-1), 0) << second.err();
  EXPECT_NE(second.err().find("starting again: 4 ranks on node2, node3, from step"), std::string::npos) << second.err();
  EXPECT_EQ(losses_of(folder("rank")), calm);
  expect_nothing_left();
}

TEST_F(TakeoverTest, AHostThatDiesMeanwhileIsDoneWithout) {
  ASSERT_NO_FATAL_FAILURE(orphan("host"));
  bed().kill_host("node3");
  HostCommand second = start("node1", "host");
  EXPECT_EQ(second.wait(seconds(240)).value_or(-1), 0) << second.err();
  EXPECT_EQ(losses_of(folder("host")).size(), static_cast<size_t>(kSteps));
  EXPECT_NE(second.err().find("its ranks cannot go on"), std::string::npos) << second.err();
}

// While agents start, describe their hosts, wire up, train, come back: whatever it was doing, the next one goes on.
TEST_F(TakeoverTest, TheLauncherMayDieAtAnyMoment) {
  const std::vector<double> calm = calm_curve(kManySteps);
  std::mt19937 random(static_cast<unsigned>(::getpid()));
  std::string history;
  for (int death = 0; death < 6; ++death) {
    HostCommand run = start("node1", "any", kManySteps);
    const std::chrono::milliseconds life(std::uniform_int_distribution<int>(50, 2500)(random));
    run.wait(life);
    run.signal(SIGKILL);
    history += "killed after " + std::to_string(life.count()) + " ms, code " + std::to_string(run.wait(seconds(10)).value_or(-1)) + ":\n" + run.err();
  }
  HostCommand last = start("node1", "any", kManySteps);
  EXPECT_EQ(last.wait(seconds(180)).value_or(-1), 0) << history << last.err();
  EXPECT_EQ(losses_of(folder("any")), calm) << history << last.err();
  expect_nothing_left(seconds(30));  // agents of one that died before there were ranks to hand over have their lease
}

// Agents only look for it where it was. A launcher on another host ends what it finds and starts from the newest checkpoint.
TEST_F(TakeoverTest, ALauncherOnAnotherHostStartsTheRanksAgain) {
  const std::vector<double> calm = calm_curve();
  ASSERT_NO_FATAL_FAILURE(orphan("move"));
  const std::vector<pid_t> before = ranks();
  HostCommand second = start("node2", "move");
  ASSERT_TRUE(wait_until([&] { return count("move", "generation_running") == 2 || !second.running(); }, seconds(90))) << second.err();
  for (const pid_t pid : before) EXPECT_NE(::kill(pid, 0), 0) << "an old rank still runs";
  EXPECT_EQ(second.wait(seconds(180)).value_or(-1), 0) << second.err();
  EXPECT_EQ(losses_of(folder("move")), calm);
  expect_nothing_left();
}

// The ranks of the old launcher are where the new one cannot end them: theirs is the folder until their lease is over.
TEST_F(TakeoverTest, OtherHostsStartWhenTheOldRanksMustBeGone) {
  const std::vector<double> calm = calm_curve();
  ASSERT_NO_FATAL_FAILURE(orphan("other"));
  const std::vector<pid_t> before = ranks();
  HostCommand second = bed().start("node1", {program("dslaunch"), "-H", "node1:4", "--elastic", folder("other") + "/train.cfg"});
  ASSERT_TRUE(wait_until([&] { return count("other", "generation_forming") == 2 || !second.running(); }, seconds(90))) << second.err();
  for (const pid_t pid : before) EXPECT_NE(::kill(pid, 0), 0) << "an old rank still runs";
  EXPECT_EQ(second.wait(seconds(180)).value_or(-1), 0) << second.err();
  EXPECT_LT(worst_difference(losses_of(folder("other")), calm), 1e-5);
  expect_nothing_left();
}

TEST_F(TakeoverTest, WithoutElasticItIsRefusedUntilTheOldRanksAreGone) {
  ASSERT_NO_FATAL_FAILURE(orphan("plain", 1000000));
  HostCommand early = start("node1", "plain", 1000000, false);
  EXPECT_EQ(early.wait(seconds(30)).value_or(-1), 75) << early.err();
  EXPECT_NE(early.err().find("Start it again with --elastic"), std::string::npos) << early.err();
  ASSERT_TRUE(wait_until([&] { return ranks().empty(); }, seconds(60))) << "the lease ends";
  std::optional<HostCommand> late;
  ASSERT_TRUE(wait_until([&] {
    late.emplace(start("node1", "plain", 1000000, false));
    return !late->wait(seconds(2));
  }, seconds(60))) << late->err();
  EXPECT_TRUE(wait_until([&] { return count("plain", "generation_running") == 2 || !late->running(); }, seconds(60))) << late->err();
  late->signal(SIGINT);
  EXPECT_EQ(late->wait(seconds(60)).value_or(-1), 130) << late->err();
  expect_nothing_left();
}

}  // namespace
}  // namespace ds::testing
