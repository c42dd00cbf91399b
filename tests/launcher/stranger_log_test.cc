#include "agent/stranger_log.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class StrangerLogTest : public ::testing::Test {
 protected:
  std::string refuse(const std::string& host) { return log.refused(host, host + ":1234", "wrong key", now); }

  // Refuses `each` connections of each of `hosts` hosts every 10 s; returns how many lines were written.
  size_t flood(std::chrono::seconds length, int hosts, int each) {
    size_t lines = 0;
    for (const auto end = now + length; now < end; now += seconds(10)) {
      if (log.period_end() && now >= *log.period_end()) lines += !log.end_period(now).empty();
      for (int host = 0; host < hosts; ++host)
        for (int i = 0; i < each; ++i) lines += !refuse("10.0.0." + std::to_string(host)).empty();
    }
    return lines;
  }

  StrangerLog log;
  StrangerLog::Clock::time_point now{hours(1000)};
};

TEST_F(StrangerLogTest, TheFirstOfAHostIsToldAtOnceWithAddressAndReason) {
  EXPECT_EQ(refuse("10.0.0.7"), "refused a connection from 10.0.0.7:1234: wrong key");
  EXPECT_EQ(refuse("10.0.0.7"), "");
  EXPECT_NE(refuse("10.0.0.8"), "");
}

TEST_F(StrangerLogTest, TheRestIsToldOnceWithNumbers) {
  for (int i = 0; i < 8; ++i) refuse("10.0.0.7");
  for (int i = 0; i < 3; ++i) refuse("10.0.0.8");
  ASSERT_EQ(log.period_end(), now + StrangerLog::kShortest);
  now += StrangerLog::kShortest;
  EXPECT_EQ(log.end_period(now), "refused 9 more connections, from 10.0.0.7 (7), 10.0.0.8 (2)");
}

TEST_F(StrangerLogTest, WhoGotALineAndNoMoreNeedsNoSummary) {
  refuse("10.0.0.7");
  EXPECT_EQ(log.end_period(now + StrangerLog::kShortest), "");
  EXPECT_FALSE(log.period_end()) << "nothing to wait for";
  EXPECT_NE(refuse("10.0.0.7"), "") << "a later visit is told again";
}

TEST_F(StrangerLogTest, ADayOfFloodsIsTwoHundredLinesAtMost) {
  EXPECT_LE(flood(hours(24), 1, 10), 200u);
}

TEST_F(StrangerLogTest, SoIsAFloodFromManyHosts) {
  EXPECT_LE(flood(hours(24), 120, 1), 200u);
}

TEST_F(StrangerLogTest, HostsBeyondItsMemoryAreCountedTogether) {
  for (size_t host = 0; host < 10 * StrangerLog::kHosts; ++host) refuse("host" + std::to_string(host));
  const std::string text = log.end_period(now + StrangerLog::kShortest);
  EXPECT_EQ(text.find("refused 995 more connections, from "), 0u) << text;
  EXPECT_NE(text.find("and others"), std::string::npos) << text;
  EXPECT_LT(text.size(), 300u);
}

TEST_F(StrangerLogTest, AfterAQuietPeriodPeriodsAreShortAgain) {
  flood(hours(5), 1, 2);
  now = *log.period_end();
  log.end_period(now);  // tells the last of the flood
  now = *log.period_end();
  EXPECT_EQ(log.end_period(now), "");
  refuse("10.0.0.7");
  EXPECT_EQ(log.period_end(), now + StrangerLog::kShortest);
}

}  // namespace
}  // namespace ds
