#include "agent/pending_connections.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

TEST(PendingConnections, TheOldestOfTheHostThatHasMostHasToGo) {
  PendingConnections pending(4);
  EXPECT_FALSE(pending.add(0, "friend"));
  EXPECT_FALSE(pending.add(1, "flood"));
  EXPECT_FALSE(pending.add(2, "flood"));
  EXPECT_FALSE(pending.add(3, "other"));
  EXPECT_EQ(pending.add(4, "flood"), 1u);
  EXPECT_EQ(pending.add(5, "another"), 2u);
  EXPECT_EQ(pending.size(), 4u);
}

TEST(PendingConnections, AFloodOfOneHostNeverPushesOutAnother) {
  PendingConnections pending(8);
  pending.add(0, "friend");
  for (uint64_t id = 1; id < 10000; ++id) EXPECT_NE(pending.add(id, "flood"), 0u);
  EXPECT_EQ(pending.size(), 8u);
}

TEST(PendingConnections, AFloodFromAsManyHostsAsItLikesPushesOutTheOldest) {
  PendingConnections pending(8);
  for (uint64_t id = 0; id < 8; ++id) EXPECT_FALSE(pending.add(id, "host" + std::to_string(id)));
  for (uint64_t id = 8; id < 1000; ++id) EXPECT_EQ(pending.add(id, "host" + std::to_string(id)), id - 8);
}

TEST(PendingConnections, WhoHasProvedTakesNoPlace) {
  PendingConnections pending(2);
  for (uint64_t id = 0; id < 100; ++id) {
    EXPECT_FALSE(pending.add(id, "host"));
    pending.remove(id);
    pending.remove(id);
  }
  EXPECT_EQ(pending.size(), 0u);
}

TEST(PendingConnections, TheNewestIsNeverTheOneToGo) {
  PendingConnections pending(1);
  pending.add(0, "a");
  for (uint64_t id = 1; id < 100; ++id) EXPECT_EQ(pending.add(id, id % 2 ? "b" : "a"), id - 1);
}

}  // namespace
}  // namespace ds
