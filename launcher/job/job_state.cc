#include "launcher/job/job_state.h"

namespace ds {
namespace {

using enum JobState;
using enum JobAction;

// Columns: kReady, kFailed, kStopRequested, kStopAgain, kOverdue. A job that fails before ranks exist has nothing to
// end on the hosts and goes straight to closing.
constexpr JobStep kTable[kNumJobStates][kNumJobEvents] = {
    /* kReaching   */ {{kDescribing, kDescribe}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}},
    /* kDescribing */ {{kChecking, kCheckPaths}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}},
    /* kChecking   */ {{kForming, kStartGeneration}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}},
    /* kForming    */ {{kRunning, kAnnounceRunning}, {kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGeneration}},
    /* kRunning    */ {{kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kStopping, kAskRanksToStop}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGeneration}},
    /* kStopping   */ {{kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kStopping, kNothing}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGenerationAtOnce}},
    /* kEnding     */ {{kClosing, kShutdown}, {kEnding, kNothing}, {kEnding, kNothing}, {kEnding, kEndGenerationAtOnce}, {kClosing, kShutdown}},
    /* kClosing    */ {{kDone, kNothing}, {kClosing, kNothing}, {kClosing, kNothing}, {kDone, kAbandon}, {kDone, kAbandon}},
    /* kDone       */ {{kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}},
};

}  // namespace

JobStep job_step(JobState state, JobEvent event) {
  return kTable[static_cast<int>(state)][static_cast<int>(event)];
}

std::string name_of(JobState state) {
  static constexpr const char* kNames[kNumJobStates] = {"reaching hosts", "describing hosts", "checking files",
                                                        "starting ranks", "running",          "stopping",
                                                        "ending",         "closing",          "done"};
  return kNames[static_cast<int>(state)];
}

}  // namespace ds
