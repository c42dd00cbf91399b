// Elastic jobs, the part that decides: which hosts are trusted, which world comes next, when it is over.
#include <gtest/gtest.h>

#include "launcher/elastic/elastic_world.h"
#include "launcher/elastic/generation_decision.h"
#include "launcher/elastic/membership.h"
#include "launcher/elastic/restart_config.h"
#include "launcher/options/options.h"
#include "launcher/plan/job.h"
#include "tests/launcher/fake_login.h"
#include "tests/launcher/temporary_folder.h"
#include "topology/base/text.h"

namespace ds {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Time = Membership::Time;

const Time kStart{};

bool any(int) { return true; }

ElasticPolicy shrinking(int least = 1) {
  ElasticPolicy policy;
  policy.restarts = policy.shrinks = true;
  policy.min_ranks = least;
  return policy;
}

std::vector<HostRoom> rooms(std::vector<int> ranks) {
  std::vector<HostRoom> result;
  for (int one : ranks) result.push_back({one, true});
  return result;
}

TEST(ChooseGeneration, TheSameWorldIfThereIsRoomForIt) {
  const GenerationChoice choice = choose_generation(shrinking(), rooms({2, 2, 2}), 6, any);
  EXPECT_EQ(choice.world, 6);
  EXPECT_EQ(choice.members, (std::vector<bool>{true, true, true}));
}

TEST(ChooseGeneration, ASpareHostStandsIn) {
  const GenerationChoice choice = choose_generation(shrinking(), rooms({2, 0, 2, 2}), 6, any);
  EXPECT_EQ(choice.world, 6);
  EXPECT_EQ(choice.members, (std::vector<bool>{true, false, true, true}));
}

TEST(ChooseGeneration, TheLargestWorldThatIsLegal) {
  const auto divides_12 = [](int world) { return 12 % world == 0; };
  EXPECT_EQ(choose_generation(shrinking(), rooms({2, 2, 1}), 6, divides_12).world, 4);
  EXPECT_EQ(choose_generation(shrinking(5), rooms({2, 2, 1}), 6, divides_12).world, 0);
}

TEST(ChooseGeneration, AJobThatDoesNotShrinkHasAllRanksOrNone) {
  ElasticPolicy policy;
  policy.restarts = true;
  EXPECT_EQ(choose_generation(policy, rooms({2, 2}), 4, any).world, 4);
  EXPECT_EQ(choose_generation(policy, rooms({2, 0}), 4, any).world, 0);
}

TEST(ChooseGeneration, LimitsOfRanksAndHosts) {
  ElasticPolicy policy = shrinking();
  policy.max_ranks = 3;
  EXPECT_EQ(choose_generation(policy, rooms({2, 2}), 4, any).world, 3);
  policy.max_ranks = 0;
  policy.max_hosts = 1;
  EXPECT_EQ(choose_generation(policy, rooms({2, 2}), 4, any).world, 2);
  policy.max_hosts = 0;
  policy.min_hosts = 2;
  EXPECT_EQ(choose_generation(policy, rooms({4, 0}), 4, any).world, 0);
}

TEST(ChooseGeneration, AHostThatIsLeftAloneIsTakenOnlyIfThereIsNoOtherWay) {
  std::vector<HostRoom> some = rooms({2, 2, 2});
  some[1].trusted = false;
  EXPECT_EQ(choose_generation(shrinking(), some, 6, any).members, (std::vector<bool>{true, false, true}));
  const GenerationChoice all = choose_generation(shrinking(6), some, 6, any);
  EXPECT_EQ(all.world, 6);
  EXPECT_EQ(all.members, (std::vector<bool>{true, true, true}));
}

TEST(ElasticWorld, ASmallerGenerationTakesNoRoomAway) {
  const std::string hosts = std::string(testing::kElsewhere) + ":2," + testing::kElsewhereToo + ":2";
  Job job = prepare_job(parse_options({"-H", hosts, "--oversubscribe", "-np", "6", "--elastic", "true"}));
  Membership members(2);
  for (int host : {0, 1}) members.joined(host, kStart);
  const ElasticWorld world(job);
  const auto ranks = [&] {
    std::vector<int> result;
    for (const HostRoom& room : world.rooms(job, members, kStart)) result.push_back(room.ranks);
    return result;
  };
  const std::vector<int> first = job.plan.slots_used;
  EXPECT_EQ(ranks(), first);
  world.plan(job, {1, {true, false}}, true);
  EXPECT_EQ(job.plan.slots_used, (std::vector<int>{1, 0}));
  EXPECT_EQ(ranks(), first);
  world.plan(job, {6, {true, true}}, true);
  EXPECT_EQ(job.plan.slots_used, first);
}

TEST(GenerationHistory, ThreeFailuresInARowWithoutANewStepEndIt) {
  GenerationHistory history;
  ElasticPolicy policy = shrinking();
  history.failed(kStart, 40);
  for (int64_t step : {30, 40}) {
    history.failed(kStart, step);
    EXPECT_EQ(why_give_up(policy, history, kStart, 1).exit_code, 0) << step;
  }
  history.failed(kStart, 10);
  EXPECT_EQ(why_give_up(policy, history, kStart, 1).exit_code, 93);
  history.failed(kStart, 41);  // went further than ever
  EXPECT_EQ(why_give_up(policy, history, kStart, 1).exit_code, 0);
}

TEST(GenerationHistory, RanksThatNeverReachAStepEndItAfterThree) {
  GenerationHistory history;
  history.failed(kStart, -1);
  history.failed(kStart, -1);
  EXPECT_EQ(why_give_up(shrinking(), history, kStart, 1).exit_code, 0);
  history.failed(kStart, -1);
  EXPECT_EQ(why_give_up(shrinking(), history, kStart, 1).exit_code, 93);
}

TEST(GenerationHistory, TheBudgetCountsWithinAnHour) {
  GenerationHistory history;
  ElasticPolicy policy = shrinking();
  policy.max_restarts = 2;
  history.failed(kStart, std::nullopt);
  history.failed(kStart + minutes(1), std::nullopt);
  EXPECT_EQ(why_give_up(policy, history, kStart + minutes(1), 7).exit_code, 0);
  history.failed(kStart + minutes(2), std::nullopt);
  EXPECT_EQ(why_give_up(policy, history, kStart + minutes(2), 7).exit_code, 98);
  GenerationHistory slow;
  for (int hour : {0, 1, 2, 3}) slow.failed(kStart + minutes(61 * hour), std::nullopt);
  EXPECT_EQ(why_give_up(policy, slow, kStart + minutes(183), 7).exit_code, 0);
  policy.max_restarts = 0;
  EXPECT_EQ(why_give_up(policy, history, kStart + minutes(2), 7).exit_code, 7);
}

TEST(Membership, ALostHostIsTriedAgainEverMoreRarely) {
  Membership members(1);
  members.joined(0, kStart);
  members.lost(0, kStart);
  EXPECT_TRUE(members.due(kStart + seconds(1)).empty());
  Time now = kStart;
  for (int wait : {2, 4, 8, 16, 32, 60, 60}) {
    now += seconds(wait);
    EXPECT_TRUE(members.due(now - seconds(1)).empty()) << wait;
    EXPECT_EQ(members.due(now), std::vector<int>{0}) << wait;
    members.trying(0);
    EXPECT_TRUE(members.due(now).empty());
    members.lost(0, now);
  }
}

TEST(Membership, ThreeFailuresInHalfAnHourAndItIsLeftAloneForEverLonger) {
  Membership members(2);
  Time now = kStart;
  const auto fail_and_return = [&] {
    members.joined(0, now);
    members.lost(0, now);
  };
  fail_and_return();
  fail_and_return();
  members.joined(0, now);
  EXPECT_TRUE(members.trusted(0, now));
  members.blamed(0, now);
  EXPECT_FALSE(members.trusted(0, now));
  EXPECT_FALSE(members.trusted(0, now + seconds(59)));
  EXPECT_TRUE(members.trusted(0, now + seconds(60)));
  members.lost(0, now);
  EXPECT_TRUE(members.due(now + seconds(61)).empty());  // the fourth: two minutes
  EXPECT_EQ(members.due(now + seconds(120)), std::vector<int>{0});
  members.joined(1, now);
  EXPECT_TRUE(members.trusted(1, now));
}

TEST(Membership, AHostThatCannotStartRanksIsLeftAloneAtOnce) {
  Membership members(1);
  members.joined(0, kStart);
  members.at_fault(0, kStart);
  EXPECT_TRUE(members.there(0));
  EXPECT_FALSE(members.trusted(0, kStart + seconds(59)));
  EXPECT_TRUE(members.trusted(0, kStart + seconds(60)));
  members.at_fault(0, kStart + seconds(60));
  EXPECT_FALSE(members.trusted(0, kStart + seconds(60 + 119)));
}

TEST(Membership, FailuresOlderThanHalfAnHourAreForgotten) {
  Membership members(1);
  members.joined(0, kStart);
  for (int time = 0; time < 6; ++time) members.blamed(0, kStart + minutes(16 * time));
  EXPECT_TRUE(members.trusted(0, kStart + minutes(80)));
}

TEST(RestartConfig, KeepsTheBatchAndReadsTheJobsOwnCheckpoint) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path + "/train.cfg";
  TrainConfig config;
  config.ds_config_text = R"({"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3, "optimizer": {"type": "Adam", "params": {"lr": 1e-3}}})";
  config.values["checkpoint.resume"] = {"/elsewhere/step10", path, ""};
  config.values["checkpoint.parts"] = {"weights", path, ""};
  config.values["train.gradient_accumulation"] = {"3", path, ""};

  const TrainConfig fresh = restart_config(config, 24, 2, folder.path);
  EXPECT_EQ(fresh.text("checkpoint.resume"), "/elsewhere/step10");  // nothing of its own is there yet
  EXPECT_FALSE(fresh.has("train.gradient_accumulation"));
  EXPECT_NE(fresh.ds_config_text.find("\"train_batch_size\": 24"), std::string::npos) << fresh.ds_config_text;
  EXPECT_EQ(fresh.ds_config_text.find("gradient_accumulation_steps"), std::string::npos) << fresh.ds_config_text;
  EXPECT_NE(fresh.ds_config_text.find("\"lr\": 0.001"), std::string::npos) << fresh.ds_config_text;

  folder.write("checkpoints/latest", "step20\n");
  const TrainConfig later = restart_config(config, 24, 2, folder.path);
  EXPECT_EQ(later.text("checkpoint.resume"), "auto");
  EXPECT_EQ(later.text("checkpoint.parts"), "all");
}

TEST(RestartConfig, ResumeNeverIsAboutOtherRunsNotAboutThisOne) {
  const testing::TemporaryFolder folder;
  TrainConfig config;
  config.ds_config_text = "{}";
  config.values["checkpoint.resume"] = {"never", "train.cfg:3", ""};
  EXPECT_EQ(restart_config(config, 8, 2, folder.path).text("checkpoint.resume"), "auto");
}

TEST(RestartConfig, WhoChoseTheMicroBatch) {
  TrainConfig config;
  config.ds_config_text = R"({"train_batch_size": 12, "train_micro_batch_size_per_gpu": "auto"})";
  EXPECT_FALSE(chooses_micro_batch(config));
  config.values["train.micro_batch"] = {"2", "train.cfg:3", ""};
  EXPECT_TRUE(chooses_micro_batch(config));
  config.values.clear();
  config.ds_config_text = R"({"train_micro_batch_size_per_gpu": 4})";
  EXPECT_TRUE(chooses_micro_batch(config));
}

}  // namespace
}  // namespace ds
