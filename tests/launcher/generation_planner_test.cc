// Elastic jobs: from what happens to hosts and generations to the plan of the next one.
#include "launcher/elastic/generation_planner.h"

#include <gtest/gtest.h>

#include "launcher/records/handover.h"
#include "launcher/output/verdict.h"
#include "launcher/plan/job.h"

namespace ds {
namespace {

using std::chrono::seconds;
using Course = GenerationPlanner::Course;

const GenerationPlanner::Time kStart = GenerationPlanner::Time{} + std::chrono::hours(1);

Verdict failure_on(const std::string& host) {
  Verdict verdict;
  verdict.exit_code = 1;
  verdict.host = host;
  verdict.error = "rank 2 on " + host + " exited with code 1";
  return verdict;
}

// Two ranks on each of a, b and c, all there and planned.
class GenerationPlannerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int host = 0; host < 3; ++host) planner.hosts().joined(host, kStart);
    ASSERT_TRUE(planner.plan_first(kStart));
  }

  Job job = prepare_job(parse_options({"-H", "a:2,b:2,c:2", "--elastic", "true"}));
  GenerationPlanner planner{job};
};

TEST_F(GenerationPlannerTest, TheFirstPlanIsThatOfAnyJob) {
  EXPECT_EQ(job.plan.world_size, 6);
  EXPECT_TRUE(planner.has_ranks(2));
  EXPECT_EQ(planner.larger_world(kStart), 0);
}

TEST_F(GenerationPlannerTest, ALostHostIsDoneWithoutAndTakenInWhenItHasStayed) {
  planner.hosts().lost(1, kStart);
  const Verdict lost = failure_on("b");
  const GenerationPlanner::Outcome outcome = planner.decide(&lost, std::nullopt, kStart);
  EXPECT_EQ(outcome.course, Course::kAgain);
  EXPECT_EQ(outcome.text, "starting again: 4 ranks on a, c (there were 6)");
  EXPECT_EQ(planner.gone_hosts(), "b");
  EXPECT_EQ(planner.plan_next(kStart), "") << "it has been told";
  EXPECT_EQ(host_of_rank(job.plan), (std::vector<int>{0, 0, 2, 2}));
  EXPECT_FALSE(planner.has_ranks(1));
  planner.hosts().joined(1, kStart + seconds(10));
  EXPECT_EQ(planner.larger_world(kStart + seconds(69)), 0);
  EXPECT_EQ(planner.larger_world(kStart + seconds(70)), 6);
}

TEST_F(GenerationPlannerTest, AHostThatCannotStartRanksIsLeftOutAtOnce) {
  Verdict fault = failure_on("c");
  fault.host_fault = true;
  EXPECT_EQ(planner.decide(&fault, std::nullopt, kStart).text, "starting again: 4 ranks on a, b (there were 6)");
}

TEST_F(GenerationPlannerTest, WithoutHostsItWaitsAndTellsWhatItFound) {
  job.elastic.min_ranks = 4;
  planner.hosts().lost(0, kStart);
  planner.hosts().lost(1, kStart);
  const Verdict lost = failure_on("b");
  EXPECT_EQ(planner.decide(&lost, std::nullopt, kStart).course, Course::kWait);
  EXPECT_FALSE(planner.can_plan(kStart));
  planner.hosts().joined(0, kStart + seconds(5));
  EXPECT_FALSE(planner.can_plan(kStart + seconds(5))) << "b may come in a moment, too";
  planner.hosts().trying(1);
  EXPECT_FALSE(planner.can_plan(kStart + seconds(5)));
  planner.hosts().lost(1, kStart + seconds(5));
  ASSERT_TRUE(planner.can_plan(kStart + seconds(5)));
  EXPECT_EQ(planner.plan_next(kStart + seconds(5)), "starting again: 4 ranks on a, c (there were 6)");
  EXPECT_EQ(job.plan.world_size, 4);
}

TEST_F(GenerationPlannerTest, HostsThatWereLostTogetherAreWaitedForTogether) {
  for (int host = 0; host < 3; ++host) planner.hosts().lost(host, kStart);
  const Verdict lost = failure_on("a");
  EXPECT_EQ(planner.decide(&lost, std::nullopt, kStart).course, Course::kWait);
  for (int host = 0; host < 3; ++host) {
    EXPECT_FALSE(planner.can_plan(kStart + seconds(3))) << host;
    planner.hosts().trying(host);
    planner.hosts().joined(host, kStart + seconds(3));
  }
  EXPECT_TRUE(planner.can_plan(kStart + seconds(3)));
  planner.plan_next(kStart + seconds(3));
  EXPECT_EQ(job.plan.world_size, 6);
}

TEST_F(GenerationPlannerTest, AHostThatIsLeftAloneIsNotWaitedFor) {
  for (int failure = 0; failure < 3; ++failure) planner.hosts().blamed(2, kStart);
  for (int host = 0; host < 3; ++host) planner.hosts().lost(host, kStart);
  const Verdict lost = failure_on("a");
  EXPECT_EQ(planner.decide(&lost, std::nullopt, kStart).course, Course::kWait);
  for (int host = 0; host < 2; ++host) planner.hosts().joined(host, kStart + seconds(3));
  EXPECT_TRUE(planner.can_plan(kStart + seconds(3)));
}

TEST_F(GenerationPlannerTest, FailuresBeyondTheBudgetEndIt) {
  job.elastic.max_restarts = 1;
  const Verdict failure = failure_on("a");
  EXPECT_EQ(planner.decide(&failure, std::nullopt, kStart).course, Course::kAgain);
  planner.plan_next(kStart);
  const GenerationPlanner::Outcome outcome = planner.decide(&failure, std::nullopt, kStart);
  EXPECT_EQ(outcome.course, Course::kGiveUp);
  EXPECT_EQ(outcome.end.exit_code, kExitHostLost);
}

TEST_F(GenerationPlannerTest, AnotherLauncherFindsTheSamePlan) {
  planner.hosts().lost(1, kStart);
  const Verdict lost = failure_on("b");
  planner.decide(&lost, std::nullopt, kStart);
  planner.plan_next(kStart);
  const Handover left{2, true, host_of_rank(job.plan), {"a", "c"}, planner.first(), ""};
  Job again = prepare_job(parse_options({"-H", "a:2,b:2,c:2", "--elastic", "true"}));
  GenerationPlanner next(again);
  for (int host = 0; host < 3; ++host) next.hosts().joined(host, kStart);
  ASSERT_TRUE(next.plan_after(left, true, kStart));
  EXPECT_EQ(host_of_rank(again.plan), left.host_of_rank);
  ASSERT_TRUE(next.plan_after(left, false, kStart));
  EXPECT_EQ(again.plan.world_size, 6) << "its ranks do not go on, and all hosts are there";
}

}  // namespace
}  // namespace ds
