#include "launcher/control/standstill.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

using namespace std::chrono_literals;

class StandstillTest : public ::testing::Test {
 protected:
  const Standstill::Time start{std::chrono::hours(1)};
  Standstill own{start, 1s};
};

TEST_F(StandstillTest, ATickThatIsALittleLateIsNone) {
  EXPECT_EQ(own.tick(start + 1s), 0s);
  EXPECT_EQ(own.tick(start + 2900ms), 0s);
  EXPECT_EQ(own.tick(start + 2950ms), 0s) << "an early one neither";
}

TEST_F(StandstillTest, ALateTickTellsByHowMuch) {
  own.tick(start + 1s);
  EXPECT_EQ(own.tick(start + 27s), 25s);
  EXPECT_EQ(own.tick(start + 28s), 0s) << "and the next one is in time";
}

TEST_F(StandstillTest, IsKnownBeforeTheTickAndUntilTheNext) {
  EXPECT_EQ(own.longest(start + 26s), 26s);
  own.tick(start + 26s);
  EXPECT_EQ(own.longest(start + 26500ms), 25s);
  own.tick(start + 27s);
  EXPECT_EQ(own.longest(start + 27s), 0s);
}

}  // namespace
}  // namespace ds
