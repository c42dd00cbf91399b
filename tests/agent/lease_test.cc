// How long an agent goes on without its launcher.
#include <gtest/gtest.h>

#include "agent/lease.h"

namespace ds {

using std::chrono::milliseconds;

TEST(LeaseValue, CountsFromTheSendingOfTheLastAcknowledgedBeat) {
  const Lease::Time start{};
  Lease lease(start, milliseconds(1000));
  EXPECT_FALSE(lease.expired(start + milliseconds(999)));
  EXPECT_TRUE(lease.expired(start + milliseconds(1000)));
  lease.acknowledged(start + milliseconds(300), start + milliseconds(900));
  EXPECT_EQ(lease.expires(), start + milliseconds(1300));
  EXPECT_EQ(lease.silence(start + milliseconds(800)), milliseconds(500));
}

TEST(LeaseValue, NeitherOldNorFutureAcknowledgementsMoveItWrongly) {
  const Lease::Time start{};
  Lease lease(start, milliseconds(1000));
  lease.acknowledged(start + milliseconds(500), start + milliseconds(600));
  lease.acknowledged(start + milliseconds(100), start + milliseconds(700));
  EXPECT_EQ(lease.expires(), start + milliseconds(1500));
  lease.acknowledged(start + std::chrono::hours(100), start + milliseconds(800));
  EXPECT_EQ(lease.expires(), start + milliseconds(1800));
}

TEST(LeaseValue, IsRenewedOnceAnEighthOfItIsOver) {
  const Lease::Time start{};
  Lease lease(start, milliseconds(800));
  EXPECT_FALSE(lease.wants_renewal(start + milliseconds(99)));
  EXPECT_TRUE(lease.wants_renewal(start + milliseconds(100)));
  lease.acknowledged(start + milliseconds(100), start + milliseconds(101));
  EXPECT_FALSE(lease.wants_renewal(start + milliseconds(199)));
}

}  // namespace ds
