// How long ranks may take to end after a stop request.
#include "launcher/job/stop_grace.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StopGrace, IsHalfAMinuteForTrainingAndASecondForPrograms) {
  EXPECT_EQ(stop_grace({}, true, {}), seconds(30));
  EXPECT_EQ(stop_grace({}, false, {}), seconds(1));
}

TEST(StopGrace, IsWhatTheUserSays) {
  for (bool training : {false, true}) {
    EXPECT_EQ(stop_grace(200, training, {}), seconds(200));
    EXPECT_EQ(stop_grace(0.25, training, {}), milliseconds(250));
    EXPECT_EQ(stop_grace(0, training, {}), seconds(0));
  }
}

TEST(StopGrace, EndsBeforeSlurmKills) {
  EXPECT_EQ(stop_grace({}, true, kAssumedKillWait), seconds(28));
  EXPECT_EQ(stop_grace(200, true, kAssumedKillWait), seconds(28));
  EXPECT_EQ(stop_grace(200, false, seconds(300)), seconds(200));
  EXPECT_EQ(stop_grace({}, false, kAssumedKillWait), seconds(1));
  EXPECT_EQ(stop_grace(10, true, seconds(1)), seconds(0));
}

}  // namespace
}  // namespace ds
