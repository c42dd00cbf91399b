// The life of a job as a table: state x event -> next state and what to do on the way.
#pragma once

#include <string>

namespace ds {

enum class JobState {
  kReaching,    // agents are being started and dial in
  kDescribing,  // hosts tell what they have
  kChecking,    // hosts prove that they see the files
  kForming,     // ranks are being started
  kRunning,
  kStopping,    // ranks were asked to end by themselves
  kEnding,      // agents remove what is left of the ranks
  kClosing,     // agents go
  kDone,
};
inline constexpr int kNumJobStates = 9;

enum class JobEvent {
  kReady,          // what the state waits for came from every host
  kFailed,         // a verdict: rank failed, host lost, time limit
  kStopRequested,  // first signal or request
  kStopAgain,      // second one
  kOverdue,        // the deadline of the state passed
};
inline constexpr int kNumJobEvents = 5;

enum class JobAction {
  kNothing,
  kDescribe,
  kCheckPaths,
  kStartGeneration,
  kAnnounceRunning,
  kAskRanksToStop,
  kEndGeneration,
  kEndGenerationAtOnce,
  kShutdown,
  kAbandon,  // agents that do not go are left to their lease
};

struct JobStep {
  JobState next;
  JobAction action;
  bool operator==(const JobStep&) const = default;
};

// Total: every pair has an answer. kDone has no way out, every other state has one.
JobStep job_step(JobState state, JobEvent event);

std::string name_of(JobState state);

}  // namespace ds
