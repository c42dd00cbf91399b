#include "launcher/control/agent_contact.h"

#include <gtest/gtest.h>

namespace ds {
namespace {

using namespace std::chrono_literals;

class AgentContactTest : public ::testing::Test {
 protected:
  FleetOptions options;  // silence 6 s, lease 20 s, queue 256 MiB
  const AgentContact::Time start{std::chrono::hours(1)};
  AgentContact contact{options, start};
};

TEST_F(AgentContactTest, SilenceIsBorneForSoLong) {
  EXPECT_EQ(contact.fault(start + 5999ms, 0), "");
  EXPECT_EQ(contact.fault(start + 6000ms, 0), "no sign of life for 6 s");
  contact.heard(start + 5s);
  EXPECT_EQ(contact.fault(start + 10s, 0), "");
}

TEST_F(AgentContactTest, WhoSendsAndSeesNoAnswerIsGivenUpWithItsLease) {
  for (auto now = start; now < start + 20s; now += 500ms) {
    contact.heard(now);
    EXPECT_EQ(contact.fault(now, 1000), "");
  }
  contact.heard(start + 20s);
  const std::string fault = contact.fault(start + 20s, 1000);
  EXPECT_NE(fault.find("takes nothing in: no answer was seen for 20 s, 1000 bytes wait"), std::string::npos) << fault;
}

TEST_F(AgentContactTest, ALeaseCountsFromTheSendingOfTheAnswerThatWasSeen) {
  contact.heard(start + 21s);
  contact.answer_seen(start + 2s, start + 21s);
  EXPECT_EQ(contact.fault(start + 21s, 0), "");
  contact.heard(start + 22s);
  EXPECT_NE(contact.fault(start + 22s, 0), "");
}

TEST_F(AgentContactTest, AnAnswerFromTheFutureIsNoLongerLease) {
  contact.heard(start + 21s);
  contact.answer_seen(start + std::chrono::hours(100), start + 1s);
  EXPECT_NE(contact.fault(start + 21s, 0), "");
}

TEST_F(AgentContactTest, ALongQueueIsAFaultWhateverWasHeard) {
  EXPECT_EQ(contact.fault(start, options.queue_limit), "");
  EXPECT_NE(contact.fault(start, options.queue_limit + 1), "");
}

TEST_F(AgentContactTest, AStandstillOfTheLauncherIsExcused) {
  contact.excuse(30s, start + 30s);
  EXPECT_EQ(contact.fault(start + 30s, 0), "");
  EXPECT_NE(contact.fault(start + 36s, 0), "");
}

}  // namespace
}  // namespace ds
