#include "agent/authentication.h"

#include <gtest/gtest.h>

#include "topology/base/error.h"

namespace ds {

static Authentication launcher(const std::string& key) {
  return Authentication(ChannelRole::kLauncher, key, std::string(kNonceBytes, 'L'));
}
static Authentication agent(const std::string& key) {
  return Authentication(ChannelRole::kAgent, key, std::string(kNonceBytes, 'A'));
}
static const std::string kKey(32, 'k');

TEST(Authentication, BothSidesEndWithMatchingKeysThatDifferByDirection) {
  auto l = launcher(kKey), a = agent(kKey);
  EXPECT_EQ(a.opening(), "");
  const std::string challenge = l.opening();
  ASSERT_EQ(challenge.size(), a.bytes_needed());
  const std::string answer = a.step(challenge);
  ASSERT_EQ(answer.size(), l.bytes_needed());
  const std::string proof = l.step(answer);
  EXPECT_TRUE(l.done());
  ASSERT_EQ(proof.size(), a.bytes_needed());
  EXPECT_EQ(a.step(proof), "");
  EXPECT_TRUE(a.done());
  EXPECT_EQ(l.sending_key(), a.receiving_key());
  EXPECT_EQ(a.sending_key(), l.receiving_key());
  EXPECT_NE(l.sending_key(), l.receiving_key());
}

TEST(Authentication, AnAgentWithoutTheKeyIsRefused) {
  auto l = launcher(kKey), a = agent(std::string(32, 'x'));
  EXPECT_THROW(l.step(a.step(l.opening())), Error);
}

TEST(Authentication, ALauncherWithoutTheKeyIsRefused) {
  auto l = launcher(std::string(32, 'x')), a = agent(kKey);
  a.step(l.opening());
  EXPECT_THROW(a.step(std::string(a.bytes_needed(), 'p')), Error);
}

TEST(Authentication, AnAnswerToAnotherChallengeIsRefused) {
  auto old = launcher(kKey), a = agent(kKey);
  const std::string recorded = a.step(old.opening());
  Authentication fresh(ChannelRole::kLauncher, kKey, std::string(kNonceBytes, 'N'));
  EXPECT_THROW(fresh.step(recorded), Error);
}

TEST(Authentication, SomethingElseThanALauncherIsNamed) {
  auto a = agent(kKey);
  const std::string http = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
  try {
    a.step(http.substr(0, a.bytes_needed()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("not a dslaunch launcher"), std::string::npos);
  }
}

TEST(Authentication, RandomBytesDiffer) { EXPECT_NE(random_bytes(32), random_bytes(32)); }

}  // namespace ds
