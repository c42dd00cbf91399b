#include "launcher/job/job_state.h"

namespace ds {
namespace {

using enum JobState;
using enum JobAction;

// Columns: kReady, kFailed, kStopRequested, kStopAgain, kOverdue, kAgain, kTooFew. A job that fails before ranks exist has
// nothing to end on the hosts and goes straight to closing. The last two mean something where ranks are about to start.
constexpr JobStep kTable[kNumJobStates][kNumJobEvents] = {
    /* kReaching   */ {{kDescribing, kDescribe}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kReaching, kNothing}, {kReaching, kNothing}},
    /* kDescribing */ {{kChecking, kCheckPaths}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kDescribing, kNothing}, {kDescribing, kNothing}},
    /* kChecking   */ {{kForming, kStartGeneration}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kChecking, kNothing}, {kWaiting, kNothing}},
    /* kWaiting    */ {{kForming, kStartGeneration}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kClosing, kShutdown}, {kWaiting, kNothing}, {kWaiting, kNothing}},
    /* kForming    */ {{kRunning, kAnnounceRunning}, {kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGeneration}, {kForming, kNothing}, {kForming, kNothing}},
    /* kRunning    */ {{kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kStopping, kAskRanksToStop}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGeneration}, {kRunning, kNothing}, {kRunning, kNothing}},
    /* kStopping   */ {{kEnding, kEndGeneration}, {kEnding, kEndGeneration}, {kStopping, kNothing}, {kEnding, kEndGenerationAtOnce}, {kEnding, kEndGenerationAtOnce}, {kStopping, kNothing}, {kStopping, kNothing}},
    /* kEnding     */ {{kClosing, kShutdown}, {kEnding, kNothing}, {kEnding, kNothing}, {kEnding, kEndGenerationAtOnce}, {kClosing, kShutdown}, {kForming, kStartGeneration}, {kWaiting, kNothing}},
    /* kClosing    */ {{kDone, kNothing}, {kClosing, kNothing}, {kClosing, kNothing}, {kDone, kAbandon}, {kDone, kAbandon}, {kClosing, kNothing}, {kClosing, kNothing}},
    /* kDone       */ {{kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}, {kDone, kNothing}},
};

}  // namespace

JobStep job_step(JobState state, JobEvent event) {
  return kTable[static_cast<int>(state)][static_cast<int>(event)];
}

std::string name_of(JobState state) {
  static constexpr const char* kNames[kNumJobStates] = {"reaching hosts", "describing hosts", "checking files",
                                                        "waiting for hosts", "starting ranks", "running",
                                                        "stopping",       "ending",           "closing",
                                                        "done"};
  return kNames[static_cast<int>(state)];
}

}  // namespace ds
