// How long ranks may take to end after a stop request.
#include "launcher/job/stop_grace.h"

#include <gtest/gtest.h>

#include "launcher/job/slurm_kill_wait.h"

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

TEST(KillWait, IsReadFromTheConfigurationOfTheCluster) {
  EXPECT_EQ(kill_wait_in("Configuration data as of 2026-11-30T21:00:00\nKillOnBadExit           = 0\n"
                         "KillWait                = 45 sec\nLaunchParameters        = (null)\n"),
            seconds(45));
  EXPECT_EQ(kill_wait_in("KillWait                = 0 sec\n"), seconds(0));
}

TEST(KillWait, IsNotKnownFromWordsThatDoNotTellIt) {
  for (const char* text : {"", "slurm_load_ctl_conf error: Unable to contact slurm controller", "KillWait = soon",
                           "KillWait = -5 sec", "EpilogKillWait = 5 sec", "KillWait                = 4"})
    EXPECT_EQ(kill_wait_in(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ds
