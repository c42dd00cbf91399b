// The life of a job as a table: state x event -> next state and what to do on the way.
#pragma once

#include <string>

namespace ds {

enum class JobState {
  kReaching,    // agents are being started and dial in
  kDescribing,  // hosts tell what they have
  kChecking,    // hosts prove that they see the files
  kWaiting,     // for hosts, before the ranks start or start again
  kForming,     // ranks are being started
  kRunning,
  kStopping,    // ranks were asked to end by themselves
  kEnding,      // agents remove what is left of the ranks
  kClosing,     // agents go
  kDone,
};
inline constexpr int kNumJobStates = 10;

enum class JobEvent {
  kReady,          // what the state waits for came from every host
  kFailed,         // a verdict: rank failed, host lost, time limit
  kStopRequested,  // first signal or request
  kStopAgain,      // second one
  kOverdue,        // the deadline of the state passed
  kAgain,          // the ranks are gone, and there will be another generation of them
  kTooFew,         // there would be, but too few hosts are there
};
inline constexpr int kNumJobEvents = 7;

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
