// The table of a job's life: total, without dead ends, and the ways that matter.
#include <gtest/gtest.h>

#include <set>

#include "launcher/job/job_state.h"

namespace ds {
namespace {

std::vector<JobEvent> all_events() {
  std::vector<JobEvent> events;
  for (int i = 0; i < kNumJobEvents; ++i) events.push_back(static_cast<JobEvent>(i));
  return events;
}

TEST(JobState, EveryStateReachesDone) {
  for (int start = 0; start < kNumJobStates; ++start) {
    std::set<JobState> seen = {static_cast<JobState>(start)};
    for (size_t before = 0; before != seen.size();) {
      before = seen.size();
      for (JobState state : std::set<JobState>(seen))
        for (JobEvent event : all_events()) seen.insert(job_step(state, event).next);
    }
    EXPECT_TRUE(seen.count(JobState::kDone)) << name_of(static_cast<JobState>(start));
  }
}

TEST(JobState, DeadlinesAloneLeadToDone) {
  for (int start = 0; start < kNumJobStates; ++start) {
    JobState state = static_cast<JobState>(start);
    for (int i = 0; i < kNumJobStates; ++i) state = job_step(state, JobEvent::kOverdue).next;
    EXPECT_EQ(state, JobState::kDone) << name_of(static_cast<JobState>(start));
  }
}

// Only a new generation does: from its end to the start of the next one, with or without waiting for hosts.
TEST(JobState, NothingElseGoesBackwards) {
  for (int start = 0; start < kNumJobStates; ++start)
    for (JobEvent event : all_events()) {
      const bool again = event == JobEvent::kAgain || event == JobEvent::kTooFew;
      if (static_cast<JobState>(start) == JobState::kEnding && again) continue;
      EXPECT_GE(static_cast<int>(job_step(static_cast<JobState>(start), event).next), start);
    }
}

TEST(JobState, AFailureWhileRanksExistEndsTheGenerationOnce) {
  EXPECT_EQ(job_step(JobState::kRunning, JobEvent::kFailed), (JobStep{JobState::kEnding, JobAction::kEndGeneration}));
  EXPECT_EQ(job_step(JobState::kEnding, JobEvent::kFailed), (JobStep{JobState::kEnding, JobAction::kNothing}));
}

TEST(JobState, AnotherGenerationStartsAtOnceOrWhenHostsAreThere) {
  const JobStep start = {JobState::kForming, JobAction::kStartGeneration};
  EXPECT_EQ(job_step(JobState::kEnding, JobEvent::kAgain), start);
  EXPECT_EQ(job_step(JobState::kEnding, JobEvent::kTooFew), (JobStep{JobState::kWaiting, JobAction::kNothing}));
  EXPECT_EQ(job_step(JobState::kWaiting, JobEvent::kReady), start);
  EXPECT_EQ(job_step(JobState::kWaiting, JobEvent::kOverdue), (JobStep{JobState::kClosing, JobAction::kShutdown}));
  EXPECT_EQ(job_step(JobState::kWaiting, JobEvent::kStopRequested), (JobStep{JobState::kClosing, JobAction::kShutdown}));
}

TEST(JobState, TheFirstStopIsGentleAndTheSecondIsNot) {
  EXPECT_EQ(job_step(JobState::kRunning, JobEvent::kStopRequested).action, JobAction::kAskRanksToStop);
  EXPECT_EQ(job_step(JobState::kStopping, JobEvent::kStopAgain).action, JobAction::kEndGenerationAtOnce);
}

TEST(JobState, AStopBeforeRanksExistJustCloses) {
  for (JobState state : {JobState::kReaching, JobState::kDescribing, JobState::kChecking})
    EXPECT_EQ(job_step(state, JobEvent::kStopRequested), (JobStep{JobState::kClosing, JobAction::kShutdown}));
}

}  // namespace
}  // namespace ds
