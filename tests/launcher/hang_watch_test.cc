// When nothing moves for how long, and who is named: a table of jobs played second by second.
#include "launcher/hang/hang_watch.h"

#include <functional>

#include "agent/contract.h"
#include "gtest/gtest.h"
#include "launcher/hang/hang_report.h"
#include "launcher/plan/job.h"

namespace ds {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = HangWatch::Clock;

// A job whose clock is turned by hand; the watch is asked every second, as the launcher does.
class Played {
 public:
  explicit Played(int ranks, std::optional<HangWatch::Seconds> limit = std::nullopt) : signs(ranks) {
    std::vector<std::string> hosts;
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back("node" + std::to_string(1 + rank / 2));
    watch = HangWatch(hosts, limit, now);
  }

  void say(int rank) { watch.heard(rank, signs[rank], now); }
  void say_all() {
    for (int rank = 0; rank < num(); ++rank) say(rank);
  }
  void phase(RankPhase phase) {
    for (RankSign& sign : signs) {
      sign.phase = static_cast<int>(phase);
      ++sign.beat;
    }
    say_all();
  }
  // Time passes; `each_second` may let ranks move. False as soon as there is a verdict.
  bool passes(seconds time, const std::function<void()>& each_second = [] {}) {
    for (seconds second{0}; second < time; second += seconds(1)) {
      now += seconds(1);
      each_second();
      if (auto verdict = watch.verdict(now)) {
        hang = *verdict;
        return false;
      }
    }
    return true;
  }
  void step() {
    for (RankSign& sign : signs) {
      ++sign.step;
      ++sign.beat;
      sign.entered += 4;
      sign.done = sign.entered;
    }
    say_all();
  }
  // Steps of `length` until the watch knows how long one takes.
  void train(seconds length, int steps = 20) {
    phase(RankPhase::kTraining);
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(passes(length)) << hang.culprits.reason;
      step();
    }
  }
  int seconds_to_verdict() {
    const auto start = now;
    if (passes(seconds(100000))) return -1;
    return static_cast<int>(std::chrono::duration_cast<seconds>(now - start).count());
  }
  int num() const { return static_cast<int>(signs.size()); }

  Clock::time_point now{seconds(1000)};
  std::vector<RankSign> signs;
  HangWatch watch;
  Hang hang;
};

TEST(HangWatch, WaitsTenSecondsWhenStepsAreShort) {
  Played job(2);
  job.train(seconds(1));
  EXPECT_EQ(job.seconds_to_verdict(), 11);
  EXPECT_NEAR(job.hang.seconds, 11, 0.1);
}

TEST(HangWatch, WaitsFiveTimesTheMedianOfLongSteps) {
  Played job(2);
  job.train(seconds(30));
  EXPECT_EQ(job.seconds_to_verdict(), 151);
}

TEST(HangWatch, LooksAtTheLastFiftyStepsOnly) {
  Played job(2);
  job.train(seconds(100), 30);
  job.train(seconds(4), 60);
  EXPECT_EQ(job.seconds_to_verdict(), 21);
}

TEST(HangWatch, OneRankThatMovesIsEnough) {
  Played job(4);
  job.train(seconds(1));
  EXPECT_TRUE(job.passes(seconds(3600), [&] {
    if (job.now.time_since_epoch() % seconds(9) != seconds(0)) return;
    ++job.signs[2].beat;
    job.say(2);
  }));
  EXPECT_GT(job.seconds_to_verdict(), 0);
}

TEST(HangWatch, EverythingThatARankCountsIsMovement) {
  for (uint64_t RankSign::*counter : {&RankSign::beat, &RankSign::entered, &RankSign::done, &RankSign::io_megabytes}) {
    Played job(2);
    job.train(seconds(1));
    EXPECT_TRUE(job.passes(seconds(60), [&] {
      ++(job.signs[0].*counter);
      job.say(0);
    }));
  }
}

TEST(HangWatch, HearingTheSameAgainIsNoMovement) {
  Played job(2);
  job.train(seconds(1));
  EXPECT_FALSE(job.passes(seconds(12), [&] { job.say_all(); }));
}

TEST(HangWatch, TheFirstStepMayTakeFiveMinutesAndTheNextOnesTenTimesTheLimit) {
  Played first(2);
  first.phase(RankPhase::kTraining);
  EXPECT_EQ(first.seconds_to_verdict(), 301);
  Played few(2);
  few.train(seconds(1), 5);
  EXPECT_EQ(few.seconds_to_verdict(), 101);
  Played sixth(2);
  sixth.train(seconds(1), 6);
  EXPECT_EQ(sixth.seconds_to_verdict(), 11);
}

TEST(HangWatch, AResumedJobHasNotDoneTheStepsBefore) {
  Played job(2);
  job.phase(RankPhase::kTraining);
  ASSERT_TRUE(job.passes(seconds(2)));
  for (RankSign& sign : job.signs) sign.step = 1000;  // the block says 0 until the first step of this launch
  job.step();
  EXPECT_EQ(job.seconds_to_verdict(), 101);
}

TEST(HangWatch, PhasesWithoutStepsHaveLimitsOfTheirOwn) {
  const std::pair<RankPhase, int> limits[] = {{RankPhase::kStarted, 901}, {RankPhase::kWiringUp, 901}, {RankPhase::kLoading, 901},
                                              {RankPhase::kSaving, 301},  {RankPhase::kEvaluating, 301}, {RankPhase::kEnding, 301}};
  for (const auto& [phase, limit] : limits) {
    Played job(2);
    job.train(seconds(1));
    job.phase(phase);
    EXPECT_EQ(job.seconds_to_verdict(), limit) << static_cast<int>(phase);
  }
}

TEST(HangWatch, OneRankInALongPhaseGivesTimeToAll) {
  Played job(4);
  job.train(seconds(1));
  job.signs[0].phase = static_cast<int>(RankPhase::kSaving);
  job.say(0);
  EXPECT_EQ(job.seconds_to_verdict(), 301);
}

TEST(HangWatch, ARankThatTheKernelHoldsGetsTimeForItsDisk) {
  Played job(2);
  job.train(seconds(1));
  job.signs[1].process_state = 'D';
  job.say(1);
  EXPECT_EQ(job.seconds_to_verdict(), 301);
  EXPECT_EQ(job.hang.culprits.ranks, std::vector<int>{1});
  EXPECT_NE(job.hang.culprits.reason.find("held by the kernel"), std::string::npos);
}

TEST(HangWatch, ADebuggerMayTakeItsTime) {
  Played job(2);
  job.train(seconds(1));
  job.signs[0].process_state = 't';
  job.say(0);
  EXPECT_TRUE(job.passes(seconds(3600)));
  job.signs[0].process_state = 0;
  job.say(0);
  EXPECT_EQ(job.seconds_to_verdict(), 11);
}

TEST(HangWatch, ALauncherThatStoodStillStartsAnew) {
  Played job(2);
  job.train(seconds(1));
  ASSERT_TRUE(job.passes(seconds(8)));
  job.now += seconds(600);
  EXPECT_EQ(job.watch.verdict(job.now).has_value(), false);
  EXPECT_EQ(job.seconds_to_verdict(), 11);
}

TEST(HangWatch, ARestartForgetsTheTimeBefore) {
  Played job(2);
  job.train(seconds(1));
  ASSERT_TRUE(job.passes(seconds(9)));
  job.watch.restart(job.now);
  EXPECT_EQ(job.seconds_to_verdict(), 11);
}

TEST(HangWatch, IsToldOnce) {
  Played job(2);
  job.train(seconds(1));
  EXPECT_EQ(job.seconds_to_verdict(), 11);
  EXPECT_TRUE(job.watch.told());
  EXPECT_TRUE(job.passes(seconds(1000)));
}

TEST(HangWatch, AGivenLimitStandsInsteadOfTheSteps) {
  Played job(2, HangWatch::Seconds(60));
  job.train(seconds(1));
  EXPECT_EQ(job.seconds_to_verdict(), 61);
  Played saving(2, HangWatch::Seconds(400));
  saving.train(seconds(1));
  saving.phase(RankPhase::kSaving);
  EXPECT_EQ(saving.seconds_to_verdict(), 401);
  Played first(2, HangWatch::Seconds(20));
  first.phase(RankPhase::kTraining);
  EXPECT_EQ(first.seconds_to_verdict(), 301);
}

TEST(HangWatch, ZeroAndAWatchOfNobodyNeverTell) {
  Played off(2, HangWatch::Seconds(0));
  off.train(seconds(1));
  EXPECT_TRUE(off.passes(seconds(10000)));
  HangWatch nobody;
  nobody.heard(0, {}, Clock::time_point(seconds(1)));
  nobody.ended(0);
  for (int second = 1; second < 2000; ++second) EXPECT_FALSE(nobody.verdict(Clock::time_point(seconds(second))));
}

TEST(HangWatch, RanksThatHaveEndedAreNotWaitedFor) {
  Played job(2);
  job.train(seconds(1));
  job.watch.ended(0);
  job.watch.ended(1);
  EXPECT_TRUE(job.passes(seconds(10000)));
}

// ---- what the configuration says

// A job of two ranks on one host whose train.cfg says so; "" = says nothing.
Job job_with(const std::string& hang_seconds) {
  Job job;
  job.options.config = "train.cfg";
  job.config.emplace();
  if (!hang_seconds.empty()) job.config->values["job.hang_seconds"] = {hang_seconds, "train.cfg:2", "/"};
  job.plan.world_size = 2;
  job.plan.hosts.resize(1);
  job.plan.ranks.resize(2);
  return job;
}

TEST(HangReport, TakesTheLimitFromTheConfiguration) {
  const auto now = Clock::time_point(seconds(5));
  auto first_verdict = [&](const std::string& text) {
    HangWatch watch = hang_watch_of(job_with(text), now);
    RankSign sign;
    for (int rank = 0; rank < 2; ++rank) {
      sign.phase = static_cast<int>(RankPhase::kTraining);
      for (sign.step = 1; sign.step <= 20; ++sign.step) watch.heard(rank, sign, now);
    }
    for (int second = 1; second < 5000; ++second)
      if (watch.verdict(now + seconds(second))) return second;
    return 0;
  };
  EXPECT_EQ(first_verdict(""), 11);
  EXPECT_EQ(first_verdict("auto"), 11);
  EXPECT_EQ(first_verdict("0"), 0);
  EXPECT_EQ(first_verdict("500"), 501);
}

TEST(HangReport, WatchesNoProgramThatDoesNotTrain) {
  Job job = job_with("");
  job.options.config.clear();
  HangWatch watch = hang_watch_of(job, Clock::time_point(seconds(5)));
  for (int second = 5; second < 5000; ++second) EXPECT_FALSE(watch.verdict(Clock::time_point(seconds(second))));
}

TEST(HangReport, TellsTheCulpritInTheEventAndInTheVerdict) {
  Job job = job_with("");
  job.plan.hosts[0].name = "node7";
  const Hang hang{{{1}, "rank 1 on node7 is stopped by a signal (state T)"}, 11.4};
  const Event event = hang_event(hang, job);
  EXPECT_EQ(event.event, "hang_detected");
  EXPECT_EQ(event.rank, 1);
  EXPECT_EQ(event.host, "node7");
  EXPECT_EQ(event.seconds, 11.4);
  EXPECT_EQ(event.reason, "rank 1 on node7 is stopped by a signal (state T)");
  const Verdict verdict = hang_verdict(hang, job);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.host, "node7");
  EXPECT_EQ(verdict.error,
            "the job hangs: nothing has moved on any rank for 11 s: rank 1 on node7 is stopped by a signal (state T)");
  const Verdict nobody = hang_verdict({{{}, "all"}, 11}, job);
  EXPECT_FALSE(nobody.rank);
  EXPECT_EQ(nobody.host, "");
}

// ---- who it is

std::vector<RankStand> six_waiting(uint64_t entered = 128) {
  std::vector<RankStand> stands(6);
  for (int rank = 0; rank < 6; ++rank) {
    stands[rank].rank = rank;
    stands[rank].host = "node" + std::to_string(1 + rank / 2);
    stands[rank].heard = true;
    stands[rank].sign.phase = static_cast<int>(RankPhase::kTraining);
    stands[rank].sign.entered = entered;
    stands[rank].sign.done = entered - 1;
    stands[rank].still_since = 11;
  }
  return stands;
}

struct Case {
  const char* what;
  std::function<void(std::vector<RankStand>&)> change;
  std::vector<int> ranks;
  const char* reason;
};

TEST(HangCulprit, IsFoundInEveryCase) {
  const Case cases[] = {
      {"one is missing", [](auto& s) { s[3].sign.entered = s[3].sign.done = 127; }, {3},
       "rank 3 on node2 has not entered collective 128, in which 5 others wait"},
      {"two are missing", [](auto& s) { s[4].sign.entered = s[5].sign.entered = 127; }, {4, 5},
       "ranks 4-5 have not entered collective 128, in which 4 others wait"},
      {"all but one are missing", [](auto& s) { for (int r = 1; r < 6; ++r) s[r].sign.entered = 127; }, {1, 2, 3, 4, 5},
       "ranks 1-5 have not entered collective 128, in which 1 other waits"},
      {"one is missing that has several under way at once",
       [](auto& s) { s[0].sign.entered = 131; s[1].sign.entered = 129; s[2].sign.entered = 125; s[2].sign.done = 124; }, {2},
       "rank 2 on node2 has not entered collective 126, in which 5 others wait; still inside collective 125, which 5 others have finished"},
      {"one has left the others behind, which have not come out of the one before",
       [](auto& s) { s[1].sign.entered = 129; s[1].sign.done = 128; }, {0, 2, 3, 4, 5},
       "ranks 0,2-5 have not entered collective 129, in which 1 other waits; still inside collective 128, which 1 other has finished"},
      {"two are missing, one of them inside an earlier one",
       [](auto& s) { s[2].sign.entered = s[3].sign.entered = 126; s[2].sign.done = 125; s[3].sign.done = 126; }, {2, 3},
       "ranks 2-3 have not entered collective 127, in which 4 others wait"},
      {"one is missing and its disk hangs", [](auto& s) { s[0].sign.entered = 127; s[0].sign.process_state = 'D'; }, {0},
       "rank 0 on node1 has not entered collective 128, in which 5 others wait; the kernel holds it (state D: a disk, a network "
       "file system or a device)"},
      {"one has ended too early", [](auto& s) { s[1].sign.entered = 100; s[1].ended = true; }, {1},
       "rank 1 on node1, which has ended, has not entered collective 101, in which 5 others wait"},
      {"all are inside", [](auto&) {}, {},
       "all 6 ranks are inside collective 128 and none gets out of it: a link or a device stands still, a rank is stuck inside it, or "
       "they gave it unequal sizes"},
      {"all are inside, several under way", [](auto& s) { for (auto& one : s) one.sign.entered = 131; }, {},
       "all 6 ranks are inside collective 128 and none gets out of it: a link or a device stands still, a rank is stuck inside it, or "
       "they gave it unequal sizes"},
      {"one does not get out", [](auto& s) { for (auto& one : s) one.sign.done = 128; s[5].sign.done = 127; }, {5},
       "rank 5 on node3 has not finished collective 128, which 5 others have finished"},
      {"one is stopped, wherever it stands", [](auto& s) { s[2].sign.process_state = 'T'; }, {2},
       "rank 2 on node2 is stopped by a signal (state T)"},
      {"all are stopped", [](auto& s) { for (auto& one : s) one.sign.process_state = 'T'; }, {0, 1, 2, 3, 4, 5},
       "ranks 0-5 are stopped by a signal (state T)"},
      {"one has never said anything", [](auto& s) { s[4].heard = false; s[4].sign = {}; }, {4},
       "rank 4 on node3 has said nothing since the start"},
      {"nobody waits: the one that stands longest",
       [](auto& s) { for (auto& one : s) one.sign.done = 128; s[1].still_since = 17.8; }, {1},
       "rank 1 on node1 has not moved for 17 s, longer than the others; no rank waits in a collective"},
      {"nobody waits, no collectives at all", [](auto& s) { for (auto& one : s) one.sign.entered = one.sign.done = 0; s[5].still_since = 30; },
       {5}, "rank 5 on node3 has not moved for 30 s, longer than the others; no rank waits in a collective"},
      {"nobody waits, the kernel holds one", [](auto& s) { for (auto& one : s) one.sign.done = 128; s[3].sign.process_state = 'D'; }, {3},
       "rank 3 on node2 is held by the kernel (state D: a disk, a network file system or a device)"},
  };
  for (const Case& one : cases) {
    auto stands = six_waiting();
    one.change(stands);
    const Culprits found = find_culprits(stands);
    EXPECT_EQ(found.ranks, one.ranks) << one.what;
    EXPECT_EQ(found.reason, one.reason) << one.what;
  }
}

TEST(HangCulprit, IsTheOnlyRankOfAWorldOfOne) {
  std::vector<RankStand> one(1);
  one[0].heard = true;
  one[0].still_since = 12;
  EXPECT_EQ(find_culprits(one).reason, "rank 0 has not moved for 12 s");
  EXPECT_EQ(find_culprits(one).ranks, std::vector<int>{0});
}

TEST(HangCulprit, IsNobodyWhenNobodyIsLeft) { EXPECT_TRUE(find_culprits({}).ranks.empty()); }

}  // namespace
}  // namespace ds
